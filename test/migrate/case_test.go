package migrate

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// starting is how one operator starts the node: a command of a shell, with what is in
// its environment.
type starting struct {
	name, script string
	env          []string
	// root is where the operator's files are.
	root string
}

// cases are the collected ones.
func cases(t *testing.T) []string {
	t.Helper()
	all, err := filepath.Glob("testdata/cases/*")
	if err != nil || len(all) < 20 {
		t.Fatal(len(all), err)
	}
	return all
}

// homes are the directories of operators' machines that a case may name.
var homes = []string{"/etc/livepeer", "/home/livepeer", "/var/lib/livepeer"}

// prepare copies a case's files to a machine of its own. Nothing is changed but the
// directories that the test may not use.
func prepare(t *testing.T, path string) starting {
	t.Helper()
	s := starting{name: filepath.Base(path), root: t.TempDir()}
	elsewhere := func(text string) string {
		for _, home := range homes {
			for _, before := range []string{" ", "=", `"`, "'", ":"} {
				text = strings.ReplaceAll(text, before+home, before+s.root+home)
			}
		}
		return text
	}
	err := filepath.WalkDir("testdata/files", func(from string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := os.ReadFile(from)
		if err != nil {
			return err
		}
		to := filepath.Join(s.root, strings.TrimPrefix(from, "testdata/files"))
		if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
			return err
		}
		return os.WriteFile(to, []byte(elsewhere(string(content))), 0o600)
	})
	if err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	s.env = []string{"HOME=" + s.root + "/home/livepeer"}
	switch text := elsewhere(string(content)); filepath.Ext(path) {
	case ".service":
		s.unit(t, text)
	case ".yml":
		s.compose(text)
	default:
		s.script = text
	}
	return s
}

// unit reads the lines of a systemd unit that matter here.
func (s *starting) unit(t *testing.T, text string) {
	t.Helper()
	for line := range strings.Lines(strings.ReplaceAll(text, "\\\n", " ")) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		switch key {
		case "ExecStart":
			s.script = strings.Replace(value, "/usr/local/bin/livepeer", "exec livepeer", 1)
		case "Environment":
			s.env = append(s.env, words(t, value)...)
		case "EnvironmentFile":
			content, err := os.ReadFile(value)
			if err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(string(content)) {
				if !strings.HasPrefix(line, "#") {
					s.env = append(s.env, words(t, line)...)
				}
			}
		}
	}
}

// words has a shell take quotes away, as systemd does.
func words(t *testing.T, text string) []string {
	t.Helper()
	out, err := exec.Command("/bin/sh", "-c", `printf '%s\n' `+text).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
}

// compose reads a service's command and environment from a Compose file.
func (s *starting) compose(text string) {
	lines, in := strings.Split(text, "\n"), ""
	for _, line := range lines {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		switch depth := len(line) - len(strings.TrimLeft(line, " ")); {
		case depth == 4 && key == "command":
			in, s.script = key, "exec livepeer "+strings.TrimPrefix(strings.TrimSpace(value), ">-")
		case depth == 4:
			in = key
		case in == "command":
			s.script += " " + strings.TrimSpace(line)
		case in == "environment" && key != "":
			s.env = append(s.env, key+"="+strings.Trim(strings.TrimSpace(value), `"`))
		}
	}
}

// aliases are commands that stand for what an operator's machine has: `livepeer` is
// tutti with a word before, and more flags behind, the operator's own; `docker run`
// runs what stands behind the image.
func (s *starting) aliases(t *testing.T, before, behind string) []string {
	t.Helper()
	bin := t.TempDir()
	for name, script := range map[string]string{
		"livepeer": "#!/bin/sh\nexec '" + binary + "' " + before + ` "$@" ` + behind + "\n",
		"docker": "#!/bin/sh\nwhile :; do case $1 in livepeer/go-livepeer*) shift; exec livepeer \"$@\";; '') exit 99;; " +
			"esac; shift; done\n",
	} {
		if err := os.WriteFile(filepath.Join(bin, name), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return append(s.env, "PATH="+bin+":/usr/bin:/bin")
}

// command starts it as the operator does.
func (s *starting) command(t *testing.T, before, behind string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "/bin/sh", "-c", s.script)
	cmd.Env, cmd.Dir = s.aliases(t, before, behind), s.root
	return cmd
}
