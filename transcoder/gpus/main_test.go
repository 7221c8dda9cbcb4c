package gpus_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/tuttinode/tutti/core/device"
	"github.com/tuttinode/tutti/transcoder/gpus"
)

// childArg makes the test program a process that watches a driver: the arguments
// after it say what it does.
const childArg = "be-a-gpu-watch"

func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == childArg {
		os.Exit(play(os.Args[2], os.Stdout))
	}
	goleak.VerifyTestMain(m)
}

// play does what a script says: words separated by spaces. "once:FILE" makes what
// follows happen the first time only, FILE remembers it.
func play(script string, out io.Writer) int {
	for word := range strings.FieldsSeq(script) {
		verb, arg, _ := strings.Cut(word, ":")
		switch verb {
		case "once":
			if _, err := os.Stat(arg); err == nil {
				return play("line:2 stay", out)
			}
			if err := os.WriteFile(arg, nil, 0o600); err != nil {
				return 3
			}
		case "line":
			_ = gpus.WriteReport(out, devices(1))
			if arg == "2" { // a second GPU comes
				_ = gpus.WriteReport(out, devices(2))
			}
		case "file":
			b, err := os.ReadFile(arg)
			if err != nil {
				return 4
			}
			_, _ = out.Write(b)
		case "follow":
			follow(arg, out)
		case "trouble":
			kind := gpus.ReportKind(strings.ReplaceAll(arg, "_", " "))
			_ = gpus.WriteReport(out, gpus.ReportLine{Problem: &gpus.Problem{Kind: kind}})
			return 0
		case "garbage":
			fmt.Fprintln(out, "NVRM: something else entirely")
		case "huge":
			fmt.Fprint(out, strings.Repeat("x", gpus.MaxBytes+1))
		case "close":
			os.Stdout.Close()
		case "panic":
			fmt.Fprintln(os.Stderr, "panic: as asked")
			return 42
		case "env":
			if os.Getenv("SECRET_OF_THE_NODE") != "" || os.Getenv("NVIDIA_SHOWN") == "" || os.Getenv("ADDED") != "yes" {
				return 5
			}
		case "stay":
			// Whoever waits for a signal is not asleep for the runtime's taste.
			asked := make(chan os.Signal, 1)
			signal.Notify(asked, os.Interrupt)
			<-asked
		}
	}
	return 0
}

// follow writes what is in a file, again and again, until the reader goes.
func follow(path string, out io.Writer) {
	for range time.Tick(5 * time.Millisecond) {
		b, err := os.ReadFile(path)
		if err != nil {
			return
		}
		if _, err := out.Write(b); err != nil {
			return
		}
	}
}

// devices is a report of n healthy GPUs.
func devices(n int) gpus.ReportLine {
	l := gpus.ReportLine{V: gpus.ReportVersion, Driver: device.Driver{Version: "550.54.15", CUDA: "12.4"}}
	for i := range n {
		l.Devices = append(l.Devices, gpus.ReportEntry{
			Device: device.GPU{Index: i, UUID: device.UUID(fmt.Sprintf("GPU-%08x", i+10)),
				PCI: fmt.Sprintf("0000:%02x:00.0", i+1), Name: "NVIDIA L4", Memory: 24 << 30, Compute: 89, Encodes: true},
			Sample: device.Sample{Used: 1 << 30, Temperature: 50},
		})
	}
	return l
}

// written puts a report into a file, whole at once.
func written(t *testing.T, path string, l gpus.ReportLine) {
	t.Helper()
	var b bytes.Buffer
	if err := gpus.WriteReport(&b, l); err != nil {
		t.Fatal(err)
	}
	part := filepath.Join(filepath.Dir(path), "part")
	if err := os.WriteFile(part, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(part, path); err != nil {
		t.Fatal(err)
	}
}
