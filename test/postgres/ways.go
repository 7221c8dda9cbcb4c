package postgres

import (
	"errors"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"syscall"

	"github.com/tuttinode/tutti/test/cache"
)

// unprivilegedUID is the user that runs the server if the test runs as root.
const unprivilegedUID = 65534

// way is one way to run the server.
type way struct {
	name string
	// attr returns the user and namespace of the process, own makes that user the owner of a directory.
	attr func() *syscall.SysProcAttr
	own  func(dir string) error
}

func ways() []way {
	dying := func() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGQUIT} }
	if os.Geteuid() != 0 {
		return []way{{"as it is", dying, func(string) error { return nil }}}
	}
	return []way{
		{"as nobody", func() *syscall.SysProcAttr {
			a := dying()
			a.Credential = &syscall.Credential{Uid: unprivilegedUID, Gid: unprivilegedUID}
			return a
		}, func(dir string) error {
			return errors.Join(os.Chown(dir, unprivilegedUID, unprivilegedUID), os.Chmod(dir, 0o700))
		}},
		{"in a user namespace", func() *syscall.SysProcAttr {
			a := dying()
			a.Cloneflags = syscall.CLONE_NEWUSER
			a.UidMappings = []syscall.SysProcIDMap{{ContainerID: unprivilegedUID, HostID: 0, Size: 1}}
			a.GidMappings = []syscall.SysProcIDMap{{ContainerID: unprivilegedUID, HostID: 0, Size: 1}}
			return a
		}, func(dir string) error { return os.Chown(dir, 0, 0) }},
	}
}

// programs returns the directory of the newest server that is installed.
func programs() (string, error) {
	built := filepath.Join(cache.Dir(), "postgres/current/usr/lib/postgresql")
	for _, root := range []string{"/usr/lib/postgresql", built} {
		found, _ := filepath.Glob(filepath.Join(root, "*/bin/initdb"))
		if len(found) > 0 {
			sort.Strings(found)
			return filepath.EvalSymlinks(filepath.Dir(found[len(found)-1]))
		}
	}
	return "", errors.New("no PostgreSQL under /usr/lib/postgresql and none in the cache: run deploy/deps/deps.sh " +
		"postgres")
}

// libraries returns the search path for the libraries of a server from the cache.
func libraries(bin string) string {
	root := strings.TrimSuffix(bin, "usr/lib/postgresql/"+filepath.Base(filepath.Dir(bin))+"/bin")
	if root == "/" {
		return os.Getenv("LD_LIBRARY_PATH")
	}
	dirs, _ := filepath.Glob(filepath.Join(root, "usr/lib/*-linux-*"))
	return strings.Join(dirs, string(os.PathListSeparator))
}
