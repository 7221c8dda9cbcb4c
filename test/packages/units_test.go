package packages

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

const systemd = root + "/deploy/systemd/"

// The exposure that systemd computes: 0 is a service that can do nothing, 10 one that
// can do all. An ordinary service has more than 9.
func TestExposure(t *testing.T) {
	t.Parallel()
	for _, unit := range []string{"tutti.service", "tutti@.service"} {
		path, err := filepath.Abs(systemd + unit)
		if err != nil {
			t.Fatal(err)
		}
		said, err := runTool(t, "systemd-analyze", "security", "--offline=true", "--no-pager", path)
		if err != nil {
			t.Fatalf("%v: %s", err, said)
		}
		found := regexp.MustCompile(`Overall exposure level for \S+: (\S+)`).FindStringSubmatch(said)
		if found == nil {
			t.Fatalf("no level in %s", said)
		}
		if level, err := strconv.ParseFloat(found[1], 64); err != nil || level > 2.5 {
			t.Errorf("%s: exposure %s, want 2.5 at most\n%s", unit, found[1], said)
		}
	}
}

// The template is the unit with the instance's name in it, and nothing else.
func TestTemplateIsTheUnit(t *testing.T) {
	t.Parallel()
	settings := func(name string) []string {
		var out []string
		for line := range strings.Lines(read(t, systemd+name)) {
			key, _, ok := strings.Cut(line, "=")
			if !ok || strings.HasPrefix(line, "#") {
				continue
			}
			switch key {
			case "Description", "ExecStart", "EnvironmentFile", "LoadCredential", "WorkingDirectory", "StateDirectory":
				line = key
			}
			out = append(out, strings.ReplaceAll(line, "/tutti-%i", "/tutti"))
		}
		return out
	}
	one, many := settings("tutti.service"), settings("tutti@.service")
	if strings.Join(one, "") != strings.Join(many, "") {
		t.Errorf("tutti@.service differs from tutti.service:\n%s\n%s", one, many)
	}
}

// What media workers need has to stay open, whatever is shut next to it.
func TestUnitsAllowTheSandbox(t *testing.T) {
	t.Parallel()
	unit := read(t, systemd+"tutti.service")
	for _, want := range []string{
		"RestrictNamespaces=user net ipc mnt\n", "mount umount2 pivot_root mount_setattr\n",
		"landlock_create_ruleset landlock_add_rule landlock_restrict_self seccomp capset\n",
		"DeviceAllow=char-nvidia* rw\n", "OOMPolicy=continue\n", "KillMode=mixed\n", "RestartPreventExitStatus=2\n",
	} {
		if !strings.Contains(unit, want) {
			t.Errorf("tutti.service lacks %q", want)
		}
	}
	if strings.Contains(unit, "PrivateDevices=yes") || strings.Contains(unit, "ProcSubset=pid") {
		t.Error("tutti.service hides the GPUs, or what their driver reads of /proc")
	}
}

// The sockets have names that the node knows.
func TestSocketNames(t *testing.T) {
	t.Parallel()
	for file, name := range map[string]string{"tutti.socket": "public", "tutti-gateway.socket": "gateway"} {
		if !strings.Contains(read(t, systemd+file), "FileDescriptorName="+name+"\n") {
			t.Errorf("%s hands over no socket called %s", file, name)
		}
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
