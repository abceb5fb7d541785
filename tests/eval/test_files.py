"""What a data set is known by."""

from pathlib import Path

from foveal.eval.files import data_sha256


def test_a_folder_is_its_files_by_name_and_content(tmp_path: Path) -> None:
    (tmp_path / "images").mkdir()
    (tmp_path / "clock.json").write_text("1")
    (tmp_path / "images" / "a.jpg").write_text("2")
    whole = data_sha256(tmp_path)
    for hidden in (".lock", ".DS_Store", "images/.a.jpg.swp"):
        (tmp_path / hidden).write_text("left behind")
        assert data_sha256(tmp_path) == whole
    (tmp_path / "images" / "b.jpg").write_text("3")
    more = data_sha256(tmp_path)
    (tmp_path / "images" / "b.jpg").rename(tmp_path / "images" / "c.jpg")
    assert len({whole, more, data_sha256(tmp_path)}) == 3
