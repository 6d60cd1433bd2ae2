"""What people and programs are shown: tables, findings, the formats of CI systems."""
