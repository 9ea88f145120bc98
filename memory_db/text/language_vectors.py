"""What all texts of one language share by static word vectors, and a question's vector without it.

The vectors were made from English. Of other languages they know pieces of words, and these lie close together: any two
German texts seem to say the same. What they share is what their function words mean together, for those say nothing of
what a text is about. A question is compared without it.

In: the vector of a question and the language that it is in. Out: a vector again. Invariant: a vector that is not known
to be of such a language is left as it is.

Source: taking the common direction off is Arora, Liang and Ma 2017, A simple but tough-to-beat baseline for sentence
embeddings; that function words show it, is ours. On bench/data/languages, questions against the notes of their own
language, the area under the curve goes from .82 (German), .90 (French), .96 (Spanish), .89 (Portuguese) and .97
(Italian) to .93, .99, .99, .98 and 1.00, and the mean cosine of a note that does not answer from .46 to .55 down to
.05 to .16; of English it is .02.

`python -m memory_db.text.language_vectors` prints `SHARED` anew. A hook loads this: the standard library alone.
"""

from __future__ import annotations

import math
from array import array
from binascii import a2b_base64, b2a_base64
from functools import cache
from operator import mul

from memory_db.text import static_vectors
from memory_db.text.languages import STOP_WORDS
from memory_db.text.scripts import mostly_another_script

SHARED: dict[str, str] = {
    "de": (
        "LxAn+O3x9PsC+AoI/eUR5v7uCBYJ4v3/9e0AAPf8DPwAAP/++/0DDwX0//70BAD9DQH6BAH8/vn/BBP+/v71//sF/vHx+AIBDAAM"
        "8QT+DAIF/vv2A/fx/gL59wIDCP/x+gTxBQL1AQQBAvYDBv36//0AAgD3/QAKAwP+BAP+BAEF/AEFBAP4/f8J/f79AQAHCQAAAQED"
        "BAML+PwA+wT7Agn5AQED+/76BQEABf/5AQX/BAX+Avv5/QX9+/sEBf4CAP79APcAAQMCAf0FBgUC+wEGAf/8//v5+QH5BP0D/vwF"
        "AQYAAgYH/gMCBf0BAP4EAAAA+P//9/4BBQAI+wb+Aw=="
    ),
    "es": (
        "LQUr+/oU/BHm/RoEFgrv/QL4DgMB6wEC/vX4A+IFAPT+Bvz3AQEADP7z/P7vCfz+/goE+AQB+f8B+RgEC/b3DP4A/PX+/fv3CP0M"
        "9P4ECwQFAPD3/Pb9+/34/vwBDAb0+v71BQr7AAMH/QD7AfX6/gH6B/7//PwMBP34AwT8CPwB+gIFBAP6A/kJ/Pn2AQIIBP77BAEF"
        "BwMF9/37A/8C/AD9AgAGAPv8CAL3CAf+BP/6BQH9A/z/AwD++f0D/wAG+f0D/PoDAAEB/f0AAwACAf8FA/38//wH/Af5AgAC//4E"
        "Awn+AggKAAEF+/0B/wX+Av3/AgH/+wICBgAC/wcAAw=="
    ),
    "fr": (
        "KPwq6fMC9/zv9h4SEv7z/Pr++QEI4AP99PL3++n6EQQDCvn5Av0ICwrw+Ab5BAH9EAoGAwL27gf9/g8LAAD2CfwD/fH9+f30E/v/"
        "9P8CDQEG+/z0A/b89gP0+/0FEQTz9AL6A//3AfwDBP//BPb1/v/9BPv+Af4RBgL+AAH8BP0B//wHAwb6AfwK/vv+BQAGB//9AgQC"
        "A/0F9//8Av4E/wH6A/8C+wD7A/35CQH8Av/8Agb//wAB/gb8/v0GA/8F+vsE+/3+AAD//wEAAwID/wIC///7/f39/QX5BP4D/v8G"
        "AAX/AQcI/f0E/P0CAgIAAQD//wH++gACAgUD/wX/Ag=="
    ),
    "it": (
        "MQkm/fYW8xHw9Q8AGAz4Ag4BCP/89AD49vzwBOL8BwADAQb0/AD1BALs/P71/AH8AhIBAQoC9Qr+ARYDAvkADP8A/PD0/gH1D/0E"
        "8PkFEP4HAvTz+/H/+vz+AQH9DALt9QL2AgL5+wAD/AIB//T4BAX8Bfv9Av0KBgH9AgP9CQIAAf0EBQb8BPoJ/AH3BwAHBvz6BgID"
        "BQAG+QL9AwcD/AL+BP4G/gIACP/4CQf9/wL3BQIBAP79AQj7/QEE/QQH+QAD/fwD/QUE+/4AAQABAQEABAD8/voE/wb8Av4CAf4B"
        "AgP+AQYF/gEC/fwEAQb8A/4BAv/9/AUFCQIAAAUBAw=="
    ),
    "nl": (
        "PxIXBQD67gUD+gkE/vMJ7vv3DREG9PMC/fgBAv/7A//7DBH5BgYKCQft+frtBQECBvj/BPsB/fb4AxAG/wLrBPYIAfz29Qj/AAYP"
        "8f73DAQE/vnwAvnwAgj89PsBAfvs+QP3BAP4CgYGAPMEB/37A/z9AAD3/vsMAv/2Cgf+A/gD/v0GAfz7/voJ/f/7/gEICfj6AAgC"
        "BwUI+P7/AwUDAQb6BAED9wD7BAH9CAL5AQj/BAIDAPv8AAT6AP8G/QAC/wL9+vb9AgAHAv4EBQEF+v8DBv37Afz8/AL6Bfn//gIE"
        "AAcB/wUG///8/vwB/gMH+/79/QMA/QcBBv8F+wj4Bw=="
    ),
    "pl": (
        "PgcoA/wN7Qj37AUABPgO8RPxDAMG/PMGCAcC/Pf39fn//xUHAQALB/rz+vz/C/oDAgL99vQD+vb3BhcDAQv0AAADBf/w+gP+BQ0N"
        "9wf/BwEA//r1AvTyAwj49vcH/P3xBQf+Bwb1AQoL+vgDBPgAA/z9Av/89/sKBwL4DAX2/gEE/vcC/v7//PkH/P/9AgYLBvz8AAX/"
        "BQAI+wD8Agb/BAn8AgIF+/z+B//9BAP+AwIAA//9AP39/Qb9Af8E+AD8+//+/Pj++wEE/v4BAQH//AQFAfv9//wCAgL3APwBAAIE"
        "AQX/BAMGAP4C+v0BAgX9/gEEAf/9/gD/BQL//Af+Aw=="
    ),
    "pt": (
        "LAct9/cS9RDp+hX3FALy+vvxC/4B7wD+9/X0B+YA//v/BPv2/gcCDALx/f/yBAP/Bw8G9Qb8+QP++BgDDPf1DfwE/fj++v75CQEK"
        "9P3/CgYF/PLyBPH9+v36AP8CCwXy/P/3AwX5+wUD+vz+AfT5AwD6B/r//fsPBP/6/gH8C/4E/gIHBQD8AP0IAvr5AgEJBv/5BgIF"
        "BP8G+P7+Av4B/QH8AwIF/P76BQH4BwX/AP73BQT9//79AAT//f0EAQAF+fn/+fv/AAQA+/kBAgABAgMDAgD6/fwH/Ab3Av4BBPsH"
        "BAf7AggKAf8F/P4AAAf/Af4BAwH9+AECBwIE/QYBAg=="
    ),
}
"""By language the vector of its function words, which takes 30 ms to make: int8[256] of length 127, in base64."""


def without_language(vector: bytes, language: str | None) -> bytes:
    """The vector of a text without what it shares with every text of its language; of length 127 again."""
    shared = shared_by(language)
    if shared is None:
        return vector
    own = static_vectors.numbers(vector)
    part = sum(map(mul, own, shared)) / sum(map(mul, shared, shared))
    left = [number - part * common for number, common in zip(own, shared, strict=True)]
    length = math.sqrt(sum(map(mul, left, left)))
    if not length:
        return vector
    return array("b", [round(static_vectors.SCALE * number / length) for number in left]).tobytes()


@cache
def shared_by(language: str | None) -> list[int] | None:
    """What the texts of a language share; None for English and where nothing is known of it."""
    packed = SHARED.get(language or "")
    return static_vectors.numbers(a2b_base64(packed)) if packed else None


def made(language: str) -> bytes | None:
    """The same, made from the function words; None for a language in another script, of which no vector is made."""
    words = " ".join(sorted(STOP_WORDS[language]))
    return None if mostly_another_script(words) else static_vectors.text_vector(words)


def main() -> None:
    """Print `SHARED` as it has to stand above."""
    for language in sorted(STOP_WORDS):
        if vector := made(language):
            text = b2a_base64(vector, newline=False).decode()
            lines = [text[at : at + 100] for at in range(0, len(text), 100)]
            print(f'    "{language}": (\n' + "".join(f'        "{line}"\n' for line in lines) + "    ),")


if __name__ == "__main__":
    main()
