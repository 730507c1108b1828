"""The exact tests behind every p value and q, as pure functions of plain numbers (stats.md 2 and 3)."""
