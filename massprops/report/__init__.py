"""Output for people and for other programs: tables, findings, pictures, the formats of CI systems.

`massprops.report(…)` is `massprops.report.page.page.report`.
"""

from massprops.values import callable_room

callable_room(__name__, f"{__name__}.page.page")
