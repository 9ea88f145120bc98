"""The page that follows running agents.

In: what hooks left in the file, and the transcripts of sessions that still run. Out: sessions with their prompts, what
each was shown and what came of it. Invariant: hooks pay nothing for it: whatever it shows they leave anyway.
"""
