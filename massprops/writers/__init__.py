"""Output for people and for other programs: tables, findings, pictures, the formats of CI systems."""
