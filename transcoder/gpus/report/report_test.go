package report_test

import (
	"bytes"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/gpu"
	"github.com/tuttinode/tutti/transcoder/gpus/report"
)

// full is a report with everything in it.
func full() report.Line {
	return report.Line{
		V: report.Version, Driver: gpu.Driver{Version: "550.54.15", CUDA: "12.4"},
		Devices: []report.Entry{{
			Device: gpu.Device{Index: 1, UUID: "GPU-8932f937-d72c-4106-c12f-20bd9faed9f6", PCI: "0000:3b:00.0",
				Name: "NVIDIA L4", Memory: 24 << 30, Compute: 89, Encodes: true},
			Sample: gpu.Sample{
				Used: 5 << 30, GPU: 100, Encoder: 50, Decoder: 1, EncoderSessions: 3, Temperature: 61,
				SlowdownAt: 96, Throttled: "power",
				Uncorrected: 2, XID: 31, XIDAt: time.Unix(1e9,
					0).UTC(), Processes: []gpu.Process{{PID: 77, Name: "python3", Used: 1 << 30}},
			},
		}},
		Unreadable: []report.Unreadable{{Position: 0, Why: "lost", Lost: true}},
	}
}

func TestALineComesBack(t *testing.T) {
	t.Parallel()
	for _, l := range []report.Line{full(), {V: report.Version},
		{V: report.Version, Problem: &report.Problem{Kind: report.NoLibrary, Detail: "x"}}} {
		var b bytes.Buffer
		if err := report.Write(&b, l); err != nil || strings.Count(b.String(), "\n") != 1 {
			t.Fatalf("%q, %v", &b, err)
		}
		got, err := report.Parse(b.Bytes())
		if err != nil || !reflect.DeepEqual(got, l) {
			t.Errorf("%+v became %+v, %v", l, got, err)
		}
	}
}

func TestWhatNoWatcherWrites(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(*report.Line){
		"version": func(l *report.Line) { l.V = 2 },
		"trouble": func(l *report.Line) { *l = report.Line{V: 1, Problem: &report.Problem{Kind: "other"}} },
		"both":    func(l *report.Line) { l.Problem = &report.Problem{Kind: report.Failed} },
		"trouble's text": func(l *report.Line) {
			*l = report.Line{V: 1, Problem: &report.Problem{Kind: report.Failed, Detail: "\x1b[2J"}}
		},
		"driver":      func(l *report.Line) { l.Driver.Version = "550\n" },
		"uuid":        func(l *report.Line) { l.Devices[0].Device.UUID = "0; rm" },
		"twice":       func(l *report.Line) { l.Devices = append(l.Devices, l.Devices[0]) },
		"many":        func(l *report.Line) { l.Devices = make([]report.Entry, report.MaxDevices+1) },
		"index":       func(l *report.Line) { l.Devices[0].Device.Index = -1 },
		"pci":         func(l *report.Line) { l.Devices[0].Device.PCI = "../../x" },
		"name":        func(l *report.Line) { l.Devices[0].Device.Name = strings.Repeat("x", report.MaxText+1) },
		"memory":      func(l *report.Line) { l.Devices[0].Device.Memory = -1 },
		"used":        func(l *report.Line) { l.Devices[0].Sample.Used = -1 },
		"load":        func(l *report.Line) { l.Devices[0].Sample.Encoder = 101 },
		"encoders":    func(l *report.Line) { l.Devices[0].Sample.EncoderSessions = -3 },
		"temperature": func(l *report.Line) { l.Devices[0].Sample.Temperature = 1 << 30 },
		"throttled":   func(l *report.Line) { l.Devices[0].Sample.Throttled = "\x00" },
		"ecc":         func(l *report.Line) { l.Devices[0].Sample.Uncorrected = -1 },
		"processes":   func(l *report.Line) { l.Devices[0].Sample.Processes = make([]gpu.Process, report.MaxProcesses+1) },
		"process":     func(l *report.Line) { l.Devices[0].Sample.Processes[0].Used = -1 },
		"unreadable":  func(l *report.Line) { l.Unreadable[0].Position = -1 },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := full()
			spoil(&l)
			if report.CheckLine(l) == "" {
				t.Error("it was taken")
			}
		})
	}
	for _, b := range []string{"", "{}", "null", "[]", `{"v":1}{"v":1}`, `{"v":1,"x":2}`, `{"v":1`, strings.Repeat(" ", report.MaxBytes+1)} {
		if l, err := report.Parse([]byte(b)); !errors.Is(err, report.ErrInvalid) {
			t.Errorf("%.20q became %+v, %v", b, l, err)
		}
	}
	if err := report.Write(&bytes.Buffer{}, report.Line{Problem: &report.Problem{Detail: strings.Repeat("x",
		report.MaxBytes)}}); err == nil {
		t.Error("a line that is too long was written")
	}
}

func FuzzParse(f *testing.F) {
	var b bytes.Buffer
	if err := report.Write(&b, full()); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Add([]byte(`{"v":1,"trouble":{"kind":"no driver"}}`))
	f.Fuzz(func(t *testing.T, in []byte) {
		l, err := report.Parse(in)
		if err != nil {
			return
		}
		var out bytes.Buffer
		if err := report.Write(&out, l); err != nil {
			// Times grow by their zone and numbers by their form: only that may be.
			if len(in) < report.MaxBytes/2 {
				t.Fatal(err)
			}
			return
		}
		if _, err := report.Parse(out.Bytes()); err != nil {
			t.Errorf("%q became %q: %v", in, &out, err)
		}
	})
}

func FuzzPlain(f *testing.F) {
	f.Add("NVIDIA L4\x00\xff")
	f.Fuzz(func(t *testing.T, s string) {
		l := full()
		l.Devices[0].Device.Name = report.Plain(s)
		if why := report.CheckLine(l); why != "" {
			t.Errorf("%q: %v", s, why)
		}
	})
}
