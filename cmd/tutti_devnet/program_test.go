package main_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/test/devnet"
)

// program runs the program until it ends.
func program(t *testing.T, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	binary, err := devnet.Binary()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), binary, args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	_ = cmd.Run()
	return cmd.ProcessState.ExitCode(), out.String(), errs.String()
}

func TestUsage(t *testing.T) {
	t.Parallel()
	status, _, text := program(t, "-h")
	for _, flag := range []string{"-listen", "-control", "-endpoints", "-accounts", "-keys", "-ready", "-l1BlockTime",
		"-l2BlockTime", "-roundLength", "-poolSize"} {
		if !strings.Contains(text, "  "+flag) {
			t.Errorf("%s is not explained", flag)
		}
	}
	if status != 0 {
		t.Errorf("status %d", status)
	}
}

func TestBadUsage(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"-nonsense"}, {"surplus"}, {"-endpoints", "0"}, {"-accounts", "-1"}, {"-l1BlockTime", "1ms"},
		{"-l2BlockTime", "-1s"},
		{"-roundLength", "0"}, {"-poolSize", "x"}, {"-chainID", "0"}, {"-baseFee", "-5"}, {"ctl"},
		{"ctl", "-nonsense", "info"},
	} {
		if status, _, text := program(t, args...); status != 2 || text == "" {
			t.Errorf("%q: status %d, %q", args, status, text)
		}
	}
}

func TestCtl(t *testing.T) {
	t.Parallel()
	c := devnet.Start(t, devnet.Options{NoContracts: true})
	ctl := func(args ...string) (int, string, string) {
		return program(t, append([]string{"ctl", "-control", c.Info.Control}, args...)...)
	}
	if status, out, errs := ctl("advanceL1", "5"); status != 0 || strings.TrimSpace(out) != "20000005" {
		t.Errorf("advanceL1: %d, %q, %q", status, out, errs)
	}
	if status, out, errs := ctl("misbehave", "0", `{"kind":"slow","duration":"1ms"}`); status != 0 || out != "" {
		t.Errorf("misbehave: %d, %q, %q", status, out, errs)
	}
	if status, out, errs := ctl("setL1BlockTime", "10ms"); status != 0 || out != "" {
		t.Errorf("setL1BlockTime: %d, %q, %q", status, out, errs)
	}
	eventually(t, "the L1 clock", func() bool { return c.AdvanceL1(0) > 20_000_006 })
	var info struct{ ChainID uint64 }
	if _, out, _ := ctl("info"); json.Unmarshal([]byte(out), &info) != nil || info.ChainID != 42161 {
		t.Errorf("info: %q", out)
	}
	if status, _, errs := ctl("nonsense"); status != 1 || !strings.Contains(errs, "does not exist") {
		t.Errorf("an unknown method: %d, %q", status, errs)
	}
	if status, _, errs := program(t, "ctl", "-control", "http://127.0.0.1:1", "info"); status != 1 ||
		!strings.Contains(errs, "refused") {
		t.Errorf("no server:  %d, %q", status, errs)
	}
}

func TestBlocksComeByThemselves(t *testing.T) {
	t.Parallel()
	c := devnet.Start(t, devnet.Options{NoContracts: true, BlockTime: 20 * time.Millisecond,
		L1BlockTime: 50 * time.Millisecond})
	client := dial(t, c.URL(0))
	eventually(t, "blocks of both kinds", func() bool {
		n, err := client.BlockNumber(t.Context())
		return err == nil && n > 20 && c.AdvanceL1(0) > protocol.L1Block(20_000_004)
	})
	head, err := client.HeaderByNumber(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if age := time.Since(time.Unix(int64(head.Time), 0)); age < -time.Second || age > 10*time.Second {
		t.Errorf("the head's time is %v ago", age)
	}
}

func TestSigtermEndsItFast(t *testing.T) {
	t.Parallel()
	c := devnet.Start(t, devnet.Options{BlockTime: 20 * time.Millisecond})
	_, sub := heads(t, c.WebsocketURL(0))
	if err := syscall.Kill(c.PID(), syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	<-sub.Err()
	c.Stop()
	if took := time.Since(start); took > 4*time.Second {
		t.Errorf("it took %v", took)
	}
	if strings.Contains(c.Log(), "panic") || strings.Contains(c.Log(), "tutti_devnet: ") &&
		strings.Contains(c.Log(), "error") {
		t.Errorf("it said %s", c.Log())
	}
}

func TestMemoryStaysSmall(t *testing.T) {
	t.Parallel()
	c := devnet.Start(t, devnet.Options{})
	c.Mine(200)
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", c.PID()))
	if err != nil {
		t.Skip("no /proc here: ", err)
	}
	for line := range strings.Lines(string(text)) {
		var kib int
		if n, _ := fmt.Sscanf(line, "VmRSS: %d kB", &kib); n == 1 && kib > 150<<10 {
			t.Errorf("it uses %d KiB", kib)
		}
	}
}
