"""What one piece of evidence adds to a belief: the rule that the views, the hook and time travel go by.

In: nothing. Out: SQL of the view `evidence_weights`, a row a piece. Invariant: the view says the same, which is tested;
who may read a file before it has that view, as a hook does, takes the text from here.
"""

from __future__ import annotations

EVIDENCE_WEIGHTS = """select memory_id, id as evidence_id, kind, direction, weight,
    iif(direction = 'for', weight, 0.0) as weight_for, iif(direction = 'against', weight, 0.0) as weight_against,
    direction = 'for' as is_for, direction = 'against' as is_against,
    kind in ('cited', 'used') as is_use, kind in ('stated', 'repeated') as is_said,
    case when kind = 'confirmed' then 2 when kind in ('stated', 'repeated') and weight >= 1 then 1 else 0 end as said,
    source, created_at, recorded_at, withdrawn_at
from evidence"""
"""`said` tells whose word it is: 2 the user's confirmation, 1 the user's statement (of weight 1), 0 anybody else's."""
