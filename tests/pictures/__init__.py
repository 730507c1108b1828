"""Pictures for the documents: reports as GitHub shows them, and drawings that explain a verdict.

`python -m tests.pictures FOLDER [SCENE…]` writes the reports, NAME.md and NAME.png; it needs chromium and no network.
`docs/images/comment.png` is the scene `failing`, `docs/images/suspected.png` the scene `one-attempt`.
`python -m tests.pictures.drawings` writes the drawings of `docs/images`, which a test holds against them.
"""
