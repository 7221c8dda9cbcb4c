package engine

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/tuttinode/tutti/test/cache"
)

// Iptables runs iptables, which Docker Engines bring with them: the one on PATH, else that of
// the packages in the cache.
func Iptables(args ...string) error {
	program, err := exec.LookPath("iptables")
	env := os.Environ()
	if err != nil {
		tree, err := filepath.EvalSymlinks(filepath.Join(cache.Dir(), "engine", "current"))
		if err != nil {
			return err
		}
		program = filepath.Join(tree, "usr/sbin/iptables-nft")
		env = append(env, "LD_LIBRARY_PATH="+libraries(tree))
		if found, _ := filepath.Glob(filepath.Join(tree, "usr/lib/*-linux-*/xtables")); len(found) > 0 {
			env = append(env, "XTABLES_LIBDIR="+found[0])
		}
	}
	cmd := exec.Command(program, args...)
	cmd.Env = env
	if text, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("iptables %q: %w: %s", args, err, text)
	}
	return nil
}
