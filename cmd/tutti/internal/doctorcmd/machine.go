package doctorcmd

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/tuttinode/tutti/core/doctor"
)

func (in *inspection) machine(ctx context.Context) (doctor.Machine, error) {
	m := doctor.Machine{Processors: runtime.GOMAXPROCS(0), Container: inContainer()}
	m.OnPath, m.NotExecutable = onPath("tutti"+programSuffix, os.Getenv("PATH"))
	m.Memory, m.Free = ownMemory()
	m.Files = mostFiles()
	if _, err := os.Stat("/run/systemd/system"); err == nil {
		m.Systemd = true
		m.Unit, m.UnitState = unit(ctx)
	}
	if dir := in.cfg.Logging.Dir; dir != "" {
		m.LogDir = canWrite(dir)
	}
	return m, nil
}

// onPath returns where a program of this name is found, and files that cannot be run.
func onPath(name, path string) (at string, not []string) {
	for _, dir := range filepath.SplitList(path) {
		file := filepath.Join(dir, name)
		info, err := os.Stat(file)
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		if !runnable(info) {
			not = append(not, file)
			continue
		}
		return file, not
	}
	return "", not
}

func inContainer() bool {
	for _, path := range []string{"/.dockerenv", "/run/.containerenv"} {
		if _, err := os.Stat(path); err == nil {
			return true
		}
	}
	return os.Getenv("KUBERNETES_SERVICE_HOST") != "" || os.Getenv("container") != ""
}

// unit finds what systemd starts tutti with. It asks systemd's files and no socket, but
// for the state.
func unit(ctx context.Context) (name, state string) {
	for _, dir := range []string{"/etc/systemd/system", "/run/systemd/system", "/lib/systemd/system",
		"/usr/lib/systemd/system"} {
		files, _ := filepath.Glob(filepath.Join(dir, "*.service"))
		for _, file := range files {
			if text, err := os.ReadFile(file); err == nil && startsTutti(string(text)) {
				name = filepath.Base(file)
				return name, unitState(ctx, name)
			}
		}
	}
	return "", ""
}

func startsTutti(text string) bool {
	for line := range strings.Lines(text) {
		command, ok := strings.CutPrefix(strings.TrimSpace(line), "ExecStart=")
		if !ok {
			continue
		}
		for _, word := range strings.Fields(command) {
			if base := filepath.Base(strings.TrimLeft(word, "-@:+!")); base == "tutti" || base == "livepeer" {
				return true
			}
		}
	}
	return false
}

func unitState(ctx context.Context, name string) string {
	if exec.CommandContext(ctx, "systemctl", "is-failed", "--quiet", name).Run() == nil {
		return "failed"
	}
	out, _ := exec.CommandContext(ctx, "systemctl", "is-enabled", name).Output()
	if state := strings.TrimSpace(string(out)); state != "" {
		return state
	}
	return "of unknown state"
}
