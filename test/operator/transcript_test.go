package operator

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tuttinode/tutti/test/devnet/control"
	"github.com/tuttinode/tutti/test/harness"
)

// guide is the document whose console blocks are run.
const guide = "../../docs/become-an-orchestrator.md"

// update writes what the programs said into the document instead of comparing.
var update = os.Getenv("UPDATE") != ""

// TestBecomeAnOrchestrator does what the document says, line by line, and finds the
// output that the document shows. Numbers, addresses, hashes and times may differ.
func TestBecomeAnOrchestrator(t *testing.T) {
	text, err := os.ReadFile(guide)
	if err != nil {
		t.Fatal(err)
	}
	s := newShell(t)
	doc := parse(string(text))
	ran := 0
	for i := range doc {
		if doc[i].command == "" {
			continue
		}
		ran++
		got := s.run(doc[i])
		if update {
			doc[i].command = anyAddress.ReplaceAllString(doc[i].command, s.account)
			doc[i].output = strings.ReplaceAll(got, "undefined", "0.1.0")
		} else if mask(got) != mask(doc[i].output) {
			t.Fatalf("$ %s\nsays\n%s\nand the document has\n%s\n(make transcript writes it anew)", doc[i].command, got,
				doc[i].output)
		}
	}
	if ran < 10 {
		t.Errorf("only %d commands in the document", ran)
	}
	s.rewarded()
	if update {
		if err := os.WriteFile(guide, []byte(join(doc)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// part is a line of the document, or a command with its output.
type part struct {
	line            string
	command, output string
}

// parse takes the document apart.
func parse(text string) (doc []part) {
	console := false
	for _, line := range strings.Split(text, "\n") {
		switch {
		case strings.HasPrefix(line, "```"):
			console = line == "```console"
			doc = append(doc, part{line: line})
		case console && strings.HasPrefix(line, "$ "):
			doc = append(doc, part{command: line[2:]})
		case console:
			doc[len(doc)-1].output += line + "\n"
		default:
			doc = append(doc, part{line: line})
		}
	}
	return doc
}

// join puts it together again.
func join(doc []part) string {
	var lines []string
	for _, p := range doc {
		if p.command == "" {
			lines = append(lines, p.line)
			continue
		}
		lines = append(lines, "$ "+p.command)
		if p.output != "" {
			lines = append(lines, strings.Split(strings.TrimSuffix(p.output, "\n"), "\n")...)
		}
	}
	return strings.Join(lines, "\n")
}

var masks = []struct {
	is *regexp.Regexp
	as string
}{
	{regexp.MustCompile(`0x[0-9a-fA-F]{64}`), "HASH"},
	{regexp.MustCompile(`0x[0-9a-fA-F]{40}`), "ADDRESS"},
	{regexp.MustCompile(`UTC--\S+`), "FILE"},
	{regexp.MustCompile(`\d{4}-\d\d-\d\dT[\d:.]+Z`), "TIME"},
	{regexp.MustCompile(`Version\s+\S+`), "Version V"},
	{regexp.MustCompile(`\d[\d.]*`), "N"},
	{regexp.MustCompile(`[ \t]+`), " "},
}

// mask leaves what is the same each time.
func mask(s string) string {
	for _, m := range masks {
		s = m.is.ReplaceAllString(s, m.as)
	}
	var lines []string
	for _, l := range strings.Split(s, "\n") {
		lines = append(lines, strings.TrimRight(l, " "))
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

// shell runs the document's commands with programs that use free ports.
type shell struct {
	t          *testing.T
	home, path string
	// ports are the document's addresses and what stands for them.
	ports   *strings.Replacer
	back    *strings.Replacer
	chain   *control.Client
	admin   string
	service string
	account string
}

func newShell(t *testing.T) *shell {
	t.Helper()
	rpc, ctl, admin, service := harness.Address(t), harness.Address(t), harness.Address(t), harness.Address(t)
	s := &shell{
		t: t, home: t.TempDir(), path: t.TempDir(), chain: control.New("http://" + ctl), admin: admin, service: service,
		ports: strings.NewReplacer("127.0.0.1:8935", service, "127.0.0.1:7935", admin, "127.0.0.1:8545", rpc),
	}
	s.back = strings.NewReplacer(service, "127.0.0.1:8935", admin, "127.0.0.1:7935", rpc, "127.0.0.1:8545", s.home, "~")
	t.Cleanup(s.chain.Close)
	s.program("tutti_devnet", fmt.Sprintf(`if [ "$1" = ctl ]; then shift; exec %s ctl -control http://%s "$@"; fi
exec %s -listen %s -control %s -l1BlockTime 0 "$@"`, s.real("tutti_devnet"), ctl, s.real("tutti_devnet"), rpc, ctl))
	s.program("tutti", fmt.Sprintf(`exec %s "$@" -ethUrl http://%s -cliAddr %s -httpAddr %s -blockPollingInterval 1s`,
		s.real("tutti"), rpc, admin, service))
	s.program("tutti_cli", fmt.Sprintf(`exec %s --url http://%s "$@"`, s.real("tutti_cli"), admin))
	return s
}

func (s *shell) real(name string) string { return filepath.Join(bin, name) }

func (s *shell) program(name, script string) {
	if err := os.WriteFile(filepath.Join(s.path, name), []byte("#!/bin/bash\n"+script+"\n"), 0o755); err != nil {
		s.t.Fatal(err)
	}
}

var anyAddress = regexp.MustCompile(`0x[0-9a-fA-F]{40}\b`)

// run runs one command and returns what it printed. The document's account stands
// for the one that was made. A command with "# until: text" is repeated in the next
// round until it prints the text, and what was minted is known.
func (s *shell) run(p part) string {
	s.t.Helper()
	command, until, repeat := strings.Cut(p.command, " # until: ")
	command = s.ports.Replace(anyAddress.ReplaceAllString(command, s.account))
	if line, ok := strings.CutSuffix(command, " &"); ok {
		s.background(line)
		return ""
	}
	var out string
	if repeat {
		if _, err := s.chain.NextRound(s.t.Context(), false); err != nil {
			s.t.Fatal(err)
		}
	}
	s.wait(p.command, func() bool {
		out = s.once(command)
		return !repeat || strings.Contains(out, until) && !strings.Contains(out, " 0 LPT")
	})
	if strings.Contains(command, "account create") {
		s.account = anyAddress.FindString(out)
	}
	return out
}

func (s *shell) command(line string) *exec.Cmd {
	cmd := exec.Command("bash", "-c", line)
	cmd.Dir = s.home
	cmd.Env = append(os.Environ(), "HOME="+s.home, "PATH="+s.path+":"+os.Getenv("PATH"), "NO_COLOR=1")
	return cmd
}

// once runs a line to its end. What it prints to both outputs comes in order.
func (s *shell) once(line string) string {
	var out bytes.Buffer
	cmd := s.command(line)
	cmd.Stdout, cmd.Stderr = &out, &out
	_ = cmd.Run() // a failure is part of the output
	return s.back.Replace(out.String())
}

// background starts a line and waits until the program answers.
func (s *shell) background(line string) {
	log, err := os.Create(filepath.Join(s.t.TempDir(), "log"))
	if err != nil {
		s.t.Fatal(err)
	}
	cmd := s.command("exec " + line)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if s.t.Failed() {
			text, _ := os.ReadFile(log.Name())
			s.t.Logf("log of %s:\n%s", line, text)
		}
		_ = log.Close()
	})
	s.wait(line+" to answer", func() bool {
		if strings.Contains(line, "tutti_devnet") {
			_, err := s.chain.Info(s.t.Context())
			return err == nil
		}
		resp, err := harness.Client().Get("http://" + s.admin + "/api/v1/chain")
		if err != nil {
			return false
		}
		defer resp.Body.Close()
		var body bytes.Buffer
		_, _ = body.ReadFrom(resp.Body)
		return resp.StatusCode == http.StatusOK && strings.Contains(body.String(), `"known":true`)
	})
}

// wait polls a condition.
func (s *shell) wait(what string, holds func() bool) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), 90*time.Second)
	defer cancel()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-ctx.Done():
			s.t.Fatalf("%s: not within 90 s", what)
		case <-tick.C:
		}
	}
}

// rewarded asks the chain itself, not the node, whether the new orchestrator came to the
// end of the way.
func (s *shell) rewarded() {
	s.t.Helper()
	_, status := harness.Get(s.t, "https://"+s.service+"/status")
	for _, want := range []string{`"state": "active"`, `"outcome": "called"`, s.account} {
		if !strings.Contains(string(status), want) {
			s.t.Errorf("%s is not on /status:\n%s", want, status)
		}
	}
}
