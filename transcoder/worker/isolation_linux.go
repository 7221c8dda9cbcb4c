package worker

import (
	"os"
	"path/filepath"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/tuttinode/tutti/transcoder/worker/sandbox"
)

// workerUser is the user and group of children where the node is root. It is above all
// that systems give to people, services and containers, so no file belongs to it.
const workerUser = 1953854580

// userInside is the user and group that a child sees itself as where it stays the
// node's.
const userInside = 65534

// strictest returns the level to try first.
func strictest() isolation {
	if os.Getuid() == 0 {
		return otherUser
	}
	return ownUser
}

// missing returns the restrictions that the level lacks.
func (i isolation) missing(o Options) (out []string) {
	s := i.separation()
	switch {
	case !s.network:
		out = append(out, sandbox.Network+": not permitted")
	case !s.user:
		out = append(out, "user namespace: not permitted")
	}
	if !s.mounts {
		out = append(out, sandbox.OwnRoot+": no mount namespace is permitted")
	}
	if os.Getuid() == 0 {
		reason := s.staysRoot(o)
		if reason == "" && !hasCache(o) {
			reason = "the folder for what its driver compiles cannot be given to one"
		}
		if reason != "" {
			out = append(out, sandbox.OtherUser+": "+reason)
		}
	}
	return out
}

// staysRoot is why a child of root does not become another user, "" when it does.
func (s separation) staysRoot(o Options) string {
	if !s.other {
		return "the user namespace of the node has none"
	}
	if !o.GPU {
		return ""
	}
	nodes, err := filepath.Glob("/dev/nvidia*")
	if err != nil {
		return err.Error()
	}
	const readWrite, look = 0o006, 0o005
	for _, path := range nodes {
		if info, err := os.Stat(path); err == nil && !info.IsDir() && info.Mode().Perm()&readWrite != readWrite {
			return path + " is not for every user"
		}
	}
	for _, path := range filepath.SplitList(valueOf(environment(o), libraryPath)) {
		info, err := os.Stat(path)
		if err == nil && info.IsDir() && info.Mode().Perm()&look != look {
			return path + ", where the driver may be, is not readable by every user"
		}
	}
	return ""
}

// environment returns the variables that tell the child how it was cut off.
func (i isolation) environment(o Options) []string {
	s := i.separation()
	env := []string{EnvMounts + "=" + strconv.FormatBool(s.mounts)}
	if os.Getuid() == 0 && s.staysRoot(o) == "" && giveCache(o) == nil {
		env = append(env, EnvUser+"="+strconv.Itoa(workerUser))
	}
	return env
}

// attributes returns those of the child's process.
func (i isolation) attributes() *syscall.SysProcAttr {
	a := &syscall.SysProcAttr{
		// A process group of its own: a terminal's interrupt is for us, and we end
		// the child when its work is done.
		Setpgid:   true,
		Pdeathsig: syscall.SIGKILL,
	}
	s := i.separation()
	if s.network {
		a.Cloneflags |= syscall.CLONE_NEWNET | syscall.CLONE_NEWIPC
	}
	if s.mounts {
		a.Cloneflags |= syscall.CLONE_NEWNS
	}
	if s.user {
		a.Cloneflags |= syscall.CLONE_NEWUSER
		a.UidMappings, a.GidMappings = users(os.Getuid(), s.other), users(os.Getgid(), s.other)
		a.GidMappingsEnableSetgroups = s.other
	}
	if s.user && s.mounts && os.Getuid() != 0 {
		// The program's start would take from the child what its namespace gives it, and
		// it needs one thing to make a root of its own.
		a.AmbientCaps = []uintptr{unix.CAP_SYS_ADMIN}
	}
	return a
}

// users maps the node's user, or group, and the other user into a namespace. Root stays
// root there until it has become the other user.
func users(own int, other bool) []syscall.SysProcIDMap {
	inside := userInside
	if own == 0 {
		inside = own
	}
	m := []syscall.SysProcIDMap{{ContainerID: inside, HostID: own, Size: 1}}
	if other {
		m = append(m, syscall.SysProcIDMap{ContainerID: workerUser, HostID: workerUser, Size: 1})
	}
	return m
}

// giveCache makes what the driver of a GPU compiles the other user's.
func giveCache(o Options) error {
	if hasCache(o) {
		return nil
	}
	return filepath.WalkDir(o.compiled, func(path string, _ os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(path, workerUser, workerUser)
	})
}

// hasCache reports whether the driver's cache, if there is one, is the other user's.
func hasCache(o Options) bool {
	if o.compiled == "" {
		return true
	}
	info, err := os.Lstat(o.compiled)
	if err != nil {
		return false
	}
	of, ok := info.Sys().(*syscall.Stat_t)
	return ok && of.Uid == workerUser
}
