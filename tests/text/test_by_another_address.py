"""A text that gives the new address of a thing stands in the place of the one that gave its old address."""

# ruff: noqa: E501  # a case a line

from __future__ import annotations

import pytest

from memory_db.text.addresses import new_address, tells_new_address
from memory_db.text.attribute_values import settings_of
from memory_db.text.relations import CONTRADICTS, SUPERSEDES, Statement, relation

RELEASE = "Changelog first, then `make smoke HOST=kiln-stg-2.int.clay.example`, and only when that is green the tag."


def relation_of(old: str, new: str) -> str | None:
    found = relation(Statement(new, project_id=1, said_at="2026-05"), Statement(old, project_id=1, said_at="2026-04"))
    return found.kind if found is not None else None


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The runs are logged at track.pre.clay.example.",
         "They joined the two servers, now it's track.clay.example/pre for all of us, the old host is read-only."),
        ("The tracker is at tracker.clay.example.", "the tracker was renamed, it's tracker.corp.clay.example"),
        ('Asked "Where?", the user said: flow-pre.clay.example:8081, you need the vpn. The jobs get there by themselves.',
         "pre moved, now it's flow-pre.clay.example:8443 with https, the 8081 died with the upgrade"),
        (RELEASE, "When the agent ran `make smoke HOST=kiln-stg-2.int.clay.example`, the user said: right, platform "
                  "renamed it. kiln-stg.eu1.clay.example."),
        (RELEASE, "oh right, that box was renamed: kiln-stg.eu1.clay.example"),
        ("Errors are on sentry.clay.example.", "errors are on trace.clay.example since the merger, the old one redirects"),
        ("the wiki is at docs.clay.example, ask for an account", "new address for the wiki: handbook.clay.example"),
        ("dashboards: grafana.clay.example:3000", "grafana moved to grafana.obs.clay.example:3000"),
        ("images are pushed to registry.clay.example", "use registry.eu.clay.example from now on instead"),
        ("secrets come from vault.clay.example:8200", "infra renumbered: vault.clay.example:8201 now"),
        ("the mirror of the packages is nexus.clay.example/pypi", "nexus is gone, it's pkgs.clay.example/pypi by now, "
                                                                  "same packages"),
    ],
)  # fmt: skip
def test_a_new_address_is_a_change(old: str, new: str) -> None:
    assert relation_of(old, new) in (SUPERSEDES, CONTRADICTS)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("grafana is at grafana.eu.clay.example", "we now have grafana.us.clay.example as well"),
        ("prod is at app.prod.clay.example", "staging moved to app.staging.clay.example"),
        ("the mail server is mail.clay.example", "the wiki moved to handbook.clay.example"),
        ("it is kiln.int.clay.example", "is it kiln.clay.example now?"),
        ("we call api.clay.example for prices", "the api of the partner is now on api.loam.example"),
        ("see docker-compose.prod.yml", "docker-compose.override.yml is gone, now it's compose.local.yaml"),
        ("track is at track.clay.example", "the track server now logs to a bucket"),
        ("kiln.clay.example is the staging host", "requests go through now, kiln.clay.example answers"),
        ("vault.clay.example:8200 has the tokens", "for now vault.clay.example:8201, until the disk is swapped"),
        ("glazes come from glaze.clay.example", "kilns moved to loam.example/glaze"),
    ],
)  # fmt: skip
def test_another_address_alone_changes_nothing(old: str, new: str) -> None:
    assert relation_of(old, new) not in (SUPERSEDES, CONTRADICTS)


def test_the_address_is_told_with_the_old_one_and_whether_there_is_more() -> None:
    moved = new_address("pre moved, it's flow.clay.example:8443 now", "Flow is at flow.clay.example:8081.")
    assert moved is not None and (moved.new, moved.old) == ("flow.clay.example:8443", "flow.clay.example:8081")
    assert moved.is_all
    told = new_address("pre moved, it's flow.clay.example:8443 now", "flow.clay.example:8081. Jobs run there at noon.")
    assert told is not None and not told.is_all


def test_a_new_address_is_told_in_so_many_words() -> None:
    assert tells_new_address("they renamed it. kiln.clay.example")
    assert not tells_new_address("it runs on kiln.clay.example")
    assert not tells_new_address("was kiln.clay.example renamed?")


def test_the_path_of_an_address_is_no_path_of_a_file() -> None:
    old = "The bundle is read from /etc/ssl/certs/clay.pem, for all the hosts."
    new = "They joined the servers, now it's track.clay.example/pre for all the hosts, the old host is read-only."
    assert settings_of(new).values["page"] == {"/pre"} and "path" not in settings_of(new).values
    assert relation_of(old, new) is None
    moved = relation_of(
        "The form is at forms.clay.example/orders/new.", "the form moved to forms.clay.example/orders/v2/new"
    )
    assert moved in (SUPERSEDES, CONTRADICTS)
