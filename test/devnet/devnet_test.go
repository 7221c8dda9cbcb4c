package devnet

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestStart(t *testing.T) {
	t.Parallel()
	c := Start(t, Options{Endpoints: 3, RoundLength: 12, PoolSize: 7, Args: []string{"-accounts", "2"}})
	if len(c.Info.Endpoints) != 3 || len(c.Info.Accounts) != 2 ||
		!strings.HasPrefix(c.WebsocketURL(2), "ws://127.0.0.1:") {
		t.Errorf("%+v", c.Info)
	}
	if round, err := c.Control.Round(t.Context()); err != nil || round.Length != 12 {
		t.Errorf("%+v, %v", round, err)
	}
	if before := c.AdvanceL1(0); c.AdvanceL1(5) != before+5 {
		t.Error("the L1 clock stays")
	}
}

func TestAChainThatDoesNotStartSaysWhy(t *testing.T) {
	t.Parallel()
	_, err := Launch(t.Context(), t.TempDir(), Options{Args: []string{"-nonsense"}})
	if err == nil || !strings.Contains(err.Error(), "flag provided but not defined: -nonsense") {
		t.Errorf("%v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Launch(ctx, t.TempDir(), Options{}); err == nil {
		t.Error("it started although no process waits for it")
	}
}

func TestArguments(t *testing.T) {
	t.Parallel()
	args := Options{Listen: "127.0.0.1:1", Control: "127.0.0.1:2", BlockTime: time.Second, NoContracts: true,
		Args: []string{"-keys"}}.args()
	for _, want := range []string{"127.0.0.1:1", "127.0.0.1:2", "1s", "-contracts=false", "-keys"} {
		if !slices.Contains(args, want) {
			t.Errorf("%q is not in %q", want, args)
		}
	}
}

func TestBinariesOfEndedProcessesGo(t *testing.T) {
	t.Parallel()
	ended := exec.Command("true")
	if err := ended.Run(); err != nil {
		t.Skip("no program to run: ", err)
	}
	path := filepath.Join(t.TempDir(), "program")
	mine, theirs, other := fmt.Sprintf("%s.%d", path, os.Getpid()), fmt.Sprintf("%s.%d", path, ended.Process.Pid),
		path+".txt"
	for _, name := range []string{mine, theirs, other} {
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	removeStale(path)
	for name, want := range map[string]bool{mine: true, theirs: false, other: true} {
		if _, err := os.Stat(name); (err == nil) != want {
			t.Errorf("%s is there: %v", filepath.Base(name), err == nil)
		}
	}
}
