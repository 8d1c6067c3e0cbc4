"""A manuscript from a stranger: whatever its files, links and names are, nothing outside of its folder is touched."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
import tomlkit
from hypothesis import given, settings
from hypothesis import strategies as st
from manuscripts import paths, rewrite

from writer.errors import ChapterUnreadable, SaveFailed, WriterError
from writer.manuscript import chapter_file, contents
from writer.manuscript.chapter_file import ChapterFile, tidy
from writer.manuscript.model import Manuscript
from writer.manuscript.project import add_chapter, create, missing_chapters, open_manuscript
from writer.text.sanitise import visible

OUTSIDE = {"secret.md": b"secret", "notes/secret.md": b"secret", "writer.toml": b"id = 'theirs'\n"}


def world(root: Path) -> Manuscript:
    """A manuscript, and files outside of it that must stay as they are."""
    for name, data in OUTSIDE.items():
        path = root / "outside" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    (root / "outside" / "void").mkdir()
    return create(root / "novel")


def untouched(root: Path) -> None:
    found = {
        str(path.relative_to(root / "outside")): path.read_bytes()
        for path in (root / "outside").rglob("*")
        if path.is_file()
    }
    assert found == OUTSIDE
    assert sorted(os.listdir(root)) == ["novel", "outside", "records"] or sorted(os.listdir(root)) == [
        "novel",
        "outside",
    ]


def use(root: Path, folder: Path) -> None:
    """Do with the manuscript all that writes: every chapter is saved and kept aside, one is added, all is tidied."""
    try:
        manuscript = open_manuscript(folder)
    except WriterError as error:
        manuscript, sentence = None, error.sentence
    if manuscript is None:
        assert visible(sentence) == sentence
        return
    inside = Path(os.path.realpath(folder))
    for chapter in manuscript.chapters:
        assert visible(chapter.path) == chapter.path
        assert visible(chapter.title) == chapter.title
        assert Path(os.path.realpath(folder / chapter.path)).is_relative_to(inside)
        file = ChapterFile(folder / chapter.path, backup_dir=root / "records", root=folder)
        for act in (lambda f=file: f.save("mine\n", f.read()), lambda f=file: f.keep_aside("theirs\n")):
            try:
                act()
            except WriterError:
                continue
    tidy(folder, paths(manuscript), root / "records")
    missing_chapters(manuscript)
    try:
        add_chapter(manuscript, "One more")
    except WriterError:
        pass


NASTY = [
    *("../outside/secret.md", "..\\outside\\secret.md", "/etc/x.md", "//etc/x.md", "~/x.md", "$HOME/x.md", "./../x.md"),
    *(
        "chapters/../../outside/secret.md",
        "chapters/./../../outside/secret.md",
        "...",
        ".",
        "",
        "/",
        "chapters",
        "..md",
    ),
    *("chapters/..", "chapters/.md", ".git/x.md", "CON.md", "nul.md", "a:b.md", "a\x00b.md", "a\x1b]0;x\x07.md"),
    *("a" * 300 + ".md", "a/" * 3000 + "b.md", "\u202egnp.md", "%2e%2e/outside/secret.md"),
    *(
        "file:///etc/passwd.md",
        "http://x/y.md",
        "-rf.md",
        "chapters/*.md",
        "chapters/\n.md",
        "chapters/ .md",
        "．．/x.md",
    ),
]


@pytest.mark.parametrize("entry", NASTY)
def test_a_listed_path_leads_nowhere_else(tmp_path: Path, entry: str) -> None:
    novel = world(tmp_path)
    try:
        rewrite(novel, chapters=[entry])
    except (ValueError, UnicodeError):
        pytest.skip("TOML cannot hold that")
    use(tmp_path, novel.folder)
    untouched(tmp_path)


def link(name: str, target: str) -> Callable[[Path], None]:
    def make(folder: Path) -> None:
        path = folder / name
        if path.is_dir() and not path.is_symlink():
            for inner in path.iterdir():
                inner.unlink()
            path.rmdir()
        elif path.exists():
            path.unlink()
        path.symlink_to(target)

    return make


LINKS = {
    "chapters folder": link("chapters", "../outside"),
    "chapters folder, empty": link("chapters", "../outside/void"),
    "chapters folder, new": link("chapters", "../outside/fresh"),
    "a chapter": link("chapters/01-chapter-1.md", "../../outside/secret.md"),
    "a chapter to come": link("chapters/02-one-more.md", "../../outside/fresh.md"),
    "writer.toml": link("writer.toml", "../outside/writer.toml"),
    "a loop": link("chapters/loop.md", "loop.md"),
    "a loop of folders": link("chapters/deep", ".."),
    "a dead end": link("chapters/dead.md", "nowhere.md"),
    "the way up": link("chapters/up.md", "../.."),
    "a device": link("chapters/null.md", "/dev/null"),
    "standard input": link("chapters/stdin.md", "/proc/self/fd/0"),
    "its own hook": link("chapters/hook.md", "../.git/hooks/pre-commit"),
}


@pytest.mark.parametrize("planted", LINKS)
def test_a_link_leads_nowhere_else(tmp_path: Path, planted: str) -> None:
    novel = world(tmp_path)
    hook = novel.folder / ".git" / "hooks" / "pre-commit"
    hook.parent.mkdir(parents=True)
    hook.write_text("#!/bin/sh\n")
    rewrite(novel, chapters=None)
    LINKS[planted](novel.folder)
    use(tmp_path, novel.folder)
    untouched(tmp_path)
    assert hook.read_text() == "#!/bin/sh\n"


def test_a_link_that_is_turned_after_the_start_leads_nowhere_else(tmp_path: Path) -> None:
    novel = world(tmp_path)
    chapter = novel.folder / paths(novel)[0]
    file = ChapterFile(chapter, backup_dir=tmp_path / "records", root=novel.folder)
    loaded = file.read()
    chapter.unlink()
    chapter.symlink_to("../../outside/secret.md")
    with pytest.raises(ChapterUnreadable, match="outside the manuscript"):
        file.read()
    with pytest.raises(SaveFailed, match="outside the manuscript"):
        file.save("mine\n", loaded)
    chapter.unlink()
    chapter.parent.rmdir()
    chapter.parent.symlink_to("../outside")
    assert file.keep_aside("theirs\n").parent == tmp_path / "records"
    with pytest.raises(SaveFailed):
        file.create("mine\n")
    untouched(tmp_path)


def test_pipes_devices_and_sockets_block_nothing(tmp_path: Path) -> None:
    novel = world(tmp_path)
    chapters = novel.folder / "chapters"
    os.mkfifo(chapters / "pipe.md")
    os.mkfifo(novel.folder / "outline.fifo")
    rewrite(novel, chapters=["chapters/pipe.md"])
    assert paths(open_manuscript(novel.folder)) == ["chapters/01-chapter-1.md"]
    use(tmp_path, novel.folder)
    os.unlink(novel.settings_file)
    os.mkfifo(novel.settings_file)
    use(tmp_path, novel.folder)
    untouched(tmp_path)


def test_huge_files_are_refused_in_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    novel = world(tmp_path)
    with (novel.folder / paths(novel)[0]).open("wb") as file:
        file.truncate(1 << 40)  # a terabyte that takes no room
    with pytest.raises(ChapterUnreadable, match="larger than 64 MB"):
        ChapterFile(novel.folder / paths(novel)[0]).read()
    assert open_manuscript(novel.folder).chapters[0].title == "Chapter 1"
    with novel.settings_file.open("r+b") as file:
        file.truncate(1 << 40)
    with pytest.raises(WriterError, match="larger than"):
        open_manuscript(novel.folder)


@pytest.mark.parametrize("depth", [100, 10_000])
def test_deep_nesting_is_a_sentence(tmp_path: Path, depth: int) -> None:
    novel = world(tmp_path)
    with novel.settings_file.open("a") as file:
        file.write(f"\nx = {'[' * depth}{']' * depth}\n")
    use(tmp_path, novel.folder)
    deep = novel.folder / "chapters"
    for _ in range(60):
        deep = deep / "d"
        deep.mkdir()
    use(tmp_path, novel.folder)
    untouched(tmp_path)


NAMES = st.text(st.one_of(st.sampled_from("./\\~\x00\x1b\n\r\t\u202e :-_%"), st.characters()), min_size=0, max_size=24)
ENTRIES = st.one_of(NAMES, NAMES.map(lambda name: f"chapters/{name}.md"), st.lists(NAMES).map("/".join))


@given(st.lists(ENTRIES, max_size=4), st.text(max_size=30), st.text(max_size=10))
@settings(max_examples=200)
def test_no_list_of_chapters_leads_outside(listed: list[str], title: str, language: str) -> None:
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        novel = world(root)
        document = tomlkit.parse(novel.settings_file.read_text("utf-8"))
        try:
            document.update({"chapters": listed, "title": title, "language": language})
            novel.settings_file.write_text(tomlkit.dumps(document), "utf-8")
        except (ValueError, UnicodeError):
            return
        use(root, novel.folder)
        untouched(root)


@given(st.lists(st.binary(min_size=1, max_size=40), max_size=4))
@settings(max_examples=150)
def test_no_file_name_does_harm(names: list[bytes]) -> None:
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        novel = world(root)
        for made in names:
            try:
                (novel.folder / "chapters" / os.fsdecode(made.replace(b"/", b"_") + b".md")).write_text("x")
            except (OSError, ValueError):
                continue
        use(root, novel.folder)
        untouched(root)


@pytest.mark.parametrize("planted", ["chapters folder, empty", "writer.toml"])
def test_the_links_find_a_manuscript_that_is_not_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, planted: str
) -> None:
    """The same links, with the checks taken out: something outside is written or made."""
    monkeypatch.setattr(contents, "_leads_inside", lambda folder, path: None)
    monkeypatch.setattr(ChapterFile, "_inside", lambda self, path: Path(os.path.realpath(path)))
    novel = world(tmp_path)
    if planted == "writer.toml":
        rewrite(novel, chapters=None)
        monkeypatch.setitem(OUTSIDE, "writer.toml", novel.settings_file.read_bytes())
        (tmp_path / "outside" / "writer.toml").write_bytes(OUTSIDE["writer.toml"])
    rewrite(novel, chapters=None)
    LINKS[planted](novel.folder)
    use(tmp_path, novel.folder)
    with pytest.raises(AssertionError):
        untouched(tmp_path)


def test_the_size_of_a_chapter_has_a_limit_when_it_is_saved_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    novel = world(tmp_path)
    monkeypatch.setattr(chapter_file, "MAX_BYTES", 100)
    file = ChapterFile(novel.folder / paths(novel)[0], root=novel.folder)
    with pytest.raises(SaveFailed, match="larger"):
        file.save("x" * 101, file.read())
