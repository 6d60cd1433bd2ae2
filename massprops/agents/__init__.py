"""Tools for agents, by the Model Context Protocol: their descriptions, and a server that runs every call in a process of its own."""
