"""Output for people and for other programs: tables, findings, the formats of CI systems."""
