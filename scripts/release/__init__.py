"""How a release comes to be: CONTRIBUTING.md, "Release".

Pure but for `history` (git), `registry` (Docker), `publishing` (GitHub), `assets` (files) and the commands.
"""
