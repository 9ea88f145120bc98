"""Personal data: mail addresses, phone numbers and national ids, taken out where a file asks for it.

In: a text, where any file that is open asks (`wanted.py`). Out: rules and checks for `engine.py`. Cards and bank
accounts are taken out always, by `rules.py`. Invariant: an id with check digits is found only where they agree.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from memory_db.redact.rule import Rule


def _rule(name: str, needs: str, pattern: str, description: str, check: str = "", group: int = 0) -> Rule:
    return Rule(name, (), pattern, description, group, True, 0, check, "personal", 0.0, needs)


_IMAGES = r"(?!(?:png|jpe?g|gif|svg|webp|ico|css|js|mjs|ts|map|py)\b)"
RULES: tuple[Rule, ...] = (
    _rule("mail", "@",
          r"(?<![\w.+%/:@-])(?!git@)[\w.+%-]{1,64}@(?:[a-z0-9](?:[a-z0-9-]{0,62})\.){1,6}" + _IMAGES + r"[a-z]{2,24}"
          r"(?![\w@-])", "Mail address. Source: RFC 5322, addr-spec, as people write it."),
    _rule("phone", "+", r"(?<![\w+./-])\+[1-9](?:[ ./()-]{0,2}\d){7,14}(?![\w+-])",
          "Phone number with its country. Source: ITU-T E.164.", "phone"),
    _rule("phone", "-", r"(?<![\w+./-])(?:\(\d{3}\) ?|\d{3}-)\d{3}-\d{4}(?![\w-])",
          "Phone number of North America. Source: NANP."),
    _rule("phone", "",
          r"(?<![a-z])(?:tel|telefon|phone|mobile?|mobil|handy|cell|fax|call me at|ruf)[a-z]{0,8}[^\w\n+]{1,6}"
          r"(?:(?:number|nummer|no|nr|is|ist)\b[^\w\n+]{1,4}){0,2}(\(?0?[1-9](?:[ ./()-]{0,2}\d){5,13})(?![\w-])",
          "Phone number after a word for it. Source: our own.", "phone", 1),
    _rule("us-ssn", "-", r"(?<![\w-])(?!000|666|9)\d{3}-(?!00)\d\d-(?!0000)\d{4}(?![\w-])",
          "Social security number of the USA. Source: SSA, number ranges."),
    _rule("uk-nino", "", r"(?<![a-z0-9])(?!bg|gb|nk|kn|tn|nt|zz)[a-ceghj-prstw-z][a-ceghj-nprstw-z] ?(?:\d\d ?){3}[a-d]"
          r"(?![a-z0-9])", "National insurance number of the United Kingdom. Source: HMRC, NIM39110.", "upper"),
    _rule("de-tax-id", "", r"(?:steuer|tax|idnr|tin)[^\d\n]{0,30}(\d{2} ?\d{3} ?\d{3} ?\d{3})(?!\d)",
          "Tax number of Germany. Source: ISO 7064, mod 11,10.", "de_tax", 1),
    _rule("es-dni", "", r"(?<![a-z0-9])(?:[xyz]-?\d{7}|\d{8})-?[a-hj-np-tv-z](?![a-z0-9])",
          "Identity number of Spain (DNI, NIE). Source: Ministerio del Interior, letter of control.", "es_dni"),
    _rule("fr-nir", "", r"(?<!\d)[12] ?\d\d ?(?:0[1-9]|1[0-2]) ?(?:\d\d|2[ab]) ?\d{3} ?\d{3} ?\d\d(?!\d)",
          "Social security number of France. Source: INSEE, NIR, mod 97.", "fr_nir"),
    _rule("it-codice-fiscale", "", r"(?<![a-z0-9])[a-z]{6}\d\d[a-ehlmprst]\d\d[a-z]\d{3}[a-z](?![a-z0-9])",
          "Tax code of Italy. Source: DM 23/12/1976, control character.", "it_cf"),
    _rule("pl-pesel", "", r"pesel[^\d\n]{0,20}(\d{11})(?!\d)", "Identity number of Poland. Source: PESEL, checksum.",
          "pl_pesel", 1),
    _rule("br-cpf", "-", r"(?<![\w.])\d{3}\.\d{3}\.\d{3}-\d\d(?![\w-])",
          "Taxpayer number of Brazil. Source: Receita Federal, check digits.", "br_cpf"),
    _rule("ch-ahv", "756", r"(?<![\w.])756\.?\d{4}\.?\d{4}\.?\d\d(?![\w.]\d)",
          "Social security number of Switzerland. Source: EAN-13 check digit.", "ch_ahv"),
)


def _digits(value: str) -> list[int]:
    return [int(each) for each in value if each.isdigit() and each.isascii()]


def _phone(_match: re.Match[str], value: str) -> bool:
    digits = _digits(value)
    return 7 <= len(digits) <= 15 and len(set(digits)) > 2


def _de_tax(_match: re.Match[str], value: str) -> bool:
    digits, product = _digits(value), 10
    for each in digits[:-1]:
        total = (each + product) % 10 or 10
        product = 2 * total % 11
    return digits[0] != 0 and (11 - product) % 10 == digits[-1]


def _es_dni(_match: re.Match[str], value: str) -> bool:
    plain = value.upper().replace("-", "")
    number = int(plain[:-1].translate(str.maketrans("XYZ", "012")))
    return "TRWAGMYFPDXBNJZSQVHLCKE"[number % 23] == plain[-1]


def _fr_nir(_match: re.Match[str], value: str) -> bool:
    plain = value.upper().replace(" ", "").replace("2A", "19").replace("2B", "18")
    return 97 - int(plain[:13]) % 97 == int(plain[13:])


_ODD = dict(zip("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ", (
    1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10,
    22, 25, 24, 23), strict=True))  # fmt: skip


def _it_cf(_match: re.Match[str], value: str) -> bool:
    plain = value.upper()
    even = sum(int(each) if each.isdigit() else ord(each) - 65 for each in plain[1:15:2])
    return chr(65 + (sum(_ODD[each] for each in plain[0:15:2]) + even) % 26) == plain[15]


def _pl_pesel(_match: re.Match[str], value: str) -> bool:
    digits = _digits(value)
    total = sum(one * other for one, other in zip(digits, (1, 3, 7, 9, 1, 3, 7, 9, 1, 3), strict=False))
    return -total % 10 == digits[-1]


def _br_cpf(_match: re.Match[str], value: str) -> bool:
    digits = _digits(value)
    for known in (9, 10):
        total = sum(each * (known + 1 - place) for place, each in enumerate(digits[:known]))
        if total * 10 % 11 % 10 != digits[known]:
            return False
    return len(set(digits)) > 1


def _ch_ahv(_match: re.Match[str], value: str) -> bool:
    digits = _digits(value)
    return len(digits) == 13 and -sum(each * (1, 3)[at % 2] for at, each in enumerate(digits[:12])) % 10 == digits[12]


CHECKS: dict[str, Callable[[re.Match[str], str], bool]] = {
    "phone": _phone, "de_tax": _de_tax, "es_dni": _es_dni, "fr_nir": _fr_nir, "it_cf": _it_cf, "pl_pesel": _pl_pesel,
    "br_cpf": _br_cpf, "ch_ahv": _ch_ahv, "upper": lambda match, value: value == value.upper(),
}  # fmt: skip
