//go:build linux || darwin

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/core/adminapi"
)

const ctrlC, ctrlD = "\x03", "\x04"

func TestCtrlCAtAQuestion(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	s := start(t, f, 80, nil)
	s.choose(`Invoke "initialize round"`)
	s.expect("Send it? [y/N] > ")
	s.write(ctrlC)
	s.expect("Interrupted; nothing was sent")
	if status := s.status(); status != exitRefused || f.requests() != "" {
		t.Errorf("status %d, %s", status, f.requests())
	}
}

func TestCtrlCInTheMenu(t *testing.T) {
	t.Parallel()
	s := start(t, newFake(t), 80, nil)
	s.expect("Choose a number > ")
	if !s.sane() {
		t.Error("the menu changed the terminal")
	}
	s.write(ctrlC)
	if status := s.status(); status != exitRefused {
		t.Errorf("status %d", status)
	}
}

func TestCtrlDLeavesTheMenu(t *testing.T) {
	t.Parallel()
	s := start(t, newFake(t), 80, nil)
	s.expect("Choose a number > ")
	s.write(ctrlD)
	if status := s.status(); status != exitOK {
		t.Errorf("status %d", status)
	}
}

func TestCtrlDEndsAMessage(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	s := start(t, f, 80, nil)
	s.choose("Sign a message")
	s.say("The message", "hello")
	s.write(ctrlD)
	s.expect("Signature")
	s.choose("Exit")
	if status := s.status(); status != exitOK || !strings.HasSuffix(f.requests(), `{"message":"hello"}`) {
		t.Errorf("status %d, %s", status, f.requests())
	}
}

func TestCtrlCWhileATransactionIsFollowed(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.with(func() { f.hold = true })
	s := start(t, f, 200, nil)
	s.choose(`Invoke "initialize round"`)
	s.say("Send it? [y/N] > ", "y")
	s.expect("Sent: 0x")
	s.write(ctrlC)
	s.expect("WaitTimedOut: transaction 0x0000000000000000000000000000000000000000000000000000000000000001 goes on")
	if status := s.status(); status != exitTimedOut {
		t.Errorf("status %d", status)
	}
}

// A step is answered when it is mined; its hash is shown before.
func TestCtrlCWhileAStepIsUnderWay(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.with(func() { f.hold, f.stall = true, func() {} })
	s := start(t, f, 200, nil, strings.Fields(activation)...)
	s.expect("Step 1 of 3: bond")
	s.expect("Sent: 0x0000000000000000000000000000000000000000000000000000000000000001")
	s.write(ctrlC)
	s.expect("WaitTimedOut: step 1 of 3 (bond 1000 LPT to your own address): transaction " +
		"0x0000000000000000000000000000000000000000000000000000000000000001 goes on")
	s.expect("Once it is mined, run the same again")
	if status := s.status(); status != exitTimedOut {
		t.Errorf("status %d", status)
	}
}

// A passphrase is not shown, and the terminal shows text again afterwards, also
// after an interruption.
func TestPassphrase(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := start(t, newFake(t), 200, nil, "account", "create", "--light", "--keystore", dir)
	s.expect("Passphrase (not shown) > ")
	if s.sane() {
		t.Error("what is typed is shown")
	}
	s.write("first secret\n")
	s.say("The same again > ", "other secret")
	s.expect("the passphrases differ")
	if status := s.status(); status != exitUsage || strings.Contains(s.text, "secret") {
		t.Errorf("status %d\n%s", status, s.text)
	}
	s = start(t, newFake(t), 200, nil, "account", "create", "--light", "--keystore", dir)
	s.say("Passphrase (not shown) > ", "one secret")
	s.say("The same again > ", "one secret")
	s.expect("Key file")
	if status := s.status(); status != exitOK || strings.Contains(s.text, "secret") {
		t.Errorf("status %d\n%s", status, s.text)
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 1 {
		t.Error(files, err)
	}
}

func TestCtrlCAtAPassphrase(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	// A shell outlives the tool, so that the terminal can be looked at afterwards.
	s := startShell(t, `"$TOOL" account create --light --keystore "$KEYS"; echo "status $?"; read -r line`, "KEYS="+dir)
	s.expect("Passphrase (not shown) > ")
	s.write(ctrlC)
	s.expect("Interrupted")
	s.expect("status 3")
	if !s.sane() {
		t.Error("the terminal does not show what is typed")
	}
	s.write("\n")
	if files, err := os.ReadDir(dir); err != nil || len(files) != 0 {
		t.Error(files, err)
	}
}

func TestImportAccounts(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const private = "0000000000000000000000000000000000000000000000000000000000000001"
	s := start(t, newFake(t), 200, nil, "account", "import", "--light", "--keystore", dir)
	s.say("Private key", private)
	s.say("Passphrase (not shown) > ", "one")
	s.say("The same again > ", "one")
	s.expect("0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf")
	if status := s.status(); status != exitOK || strings.Contains(s.text, private) {
		t.Errorf("status %d\n%s", status, s.text)
	}
	o := newTool(t)
	o.node = nil
	file := func(name, content string) string {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	pass := file("pass", "one\n")
	o.refused(exitFailed, "AccountExists", "account", "import", "--light", "--keystore", dir, "--password-file", pass,
		"--private-key-file", file("key", private))
	var key string
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Fatal(entries, err)
	}
	key = filepath.Join(dir, entries[0].Name())
	valid(t, "account import",
		o.ok("account", "import", "--light", "--keystore", t.TempDir(), "--password-file", pass, "--key-file", key, "--json"))
	valid(t, "account create",
		o.ok("account", "create", "--light", "--network", "devnet", "--password-file", pass, "--json"))
	if out := o.ok("account", "list", "--network", "devnet"); !strings.Contains(out,
		filepath.Join(o.home, ".tutti", "devnet", "keystore")) || !strings.Contains(out, "ADDRESS") {
		t.Error(out)
	}
}

// On a narrow terminal a table becomes blocks, and no line of ours is wider but
// for what cannot be broken.
func TestNarrowAndWideTerminals(t *testing.T) {
	t.Parallel()
	s := start(t, newFake(t), 200, nil, "orchestrators")
	s.expect("ID  ADDRESS  ")
	s.status()
	s = start(t, newFake(t), 40, nil, "orchestrators")
	s.expect("  ADDRESS\n    0x0000000000000000000000000000000000000002\n")
	s.expect("  DELEGATED STAKE  20000 LPT\n")
	s.status()
	s = start(t, newFake(t), 60, nil, "round", "dance")
	s.expect("CommandLineInvalid: “dance” was not expected; tutti_cli help\nround says")
	if status := s.status(); status != exitUsage {
		t.Error(status)
	}
}

func TestColors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		env   string
		args  []string
		color bool
	}{
		{"A=b", nil, true}, {"NO_COLOR=1", nil, false}, {"TERM=dumb", nil, false}, {"A=b", []string{"--no-color"}, false},
		{"A=b", []string{"--accessible"}, false},
	} {
		s := start(t, newFake(t), 200, []string{tt.env}, append(tt.args, "conditions")...)
		s.expect("Nothing is wrong.")
		s.status()
		if got := strings.Contains(s.text, "\x1b[32m"); got != tt.color {
			t.Errorf("%s %q: color %v", tt.env, tt.args, got)
		}
	}
}

func TestAccessibleWritesNoTables(t *testing.T) {
	t.Parallel()
	s := start(t, newFake(t), 200, []string{"TERM=dumb"}, "orchestrators")
	s.expect("  DELEGATED STAKE  20000 LPT\n")
	s.status()
}

// On a terminal a verb asks for what was left out, and for a yes.
func TestVerbAsksForWhatIsMissing(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	s := start(t, f, 200, nil, "vote", "proposal", "12")
	s.say("Your vote (0 against, 1 for, 2 abstain) > ", "1")
	s.say("Send it? [y/N] > ", "y")
	s.expect("mined")
	if status := s.status(); status != exitOK || !strings.HasSuffix(f.requests(), `{"proposal":"12","support":1}`) {
		t.Errorf("status %d, %s", status, f.requests())
	}
	s = start(t, f, 200, nil, "orchestrator", "config", "--reward-cut", "0.1")
	s.say("Which is meant? > ", "3")
	s.expect("ActionDeclined")
	if status := s.status(); status != exitRefused {
		t.Error(status)
	}
}

// What others wrote into the registry does not steer the terminal.
func TestHostileServiceURI(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.with(func() {
		f.pool[0].ServiceURI = "https://\x1b[2J\x1b]0;x\x07evil"
		f.conditions = []adminapi.Condition{{Code: "PortClosed", Detail: "\x1b[2Jgone", Remedy: "r"}}
	})
	s := start(t, f, 200, nil, "orchestrators")
	s.expect("https://?[2J?]0;x?evil")
	s.status()
	s = start(t, f, 200, nil, "conditions")
	s.expect("?[2Jgone")
	s.status()
}

func TestMenuWithoutANode(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.url = "http://127.0.0.1:1"
	s := start(t, f, 200, nil)
	s.expect("NodeUnreachable")
	if status := s.status(); status != exitUnreachable {
		t.Error(status)
	}
}

func TestOneStepIsNoSteps(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.with(func() { bonded(f) })
	s := start(t, f, 200, nil, "orchestrator", "config", "--reward-cut", "20", "--fee-cut", "5")
	s.say("Begin? 1 step costs about 35000 gwei [y/N] > ", "n")
	if status := s.status(); status != exitRefused {
		t.Error(status)
	}
}
