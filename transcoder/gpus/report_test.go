package gpus_test

import (
	"bytes"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/device"
	"github.com/tuttinode/tutti/transcoder/gpus"
)

// full is a report with everything in it.
func full() gpus.ReportLine {
	return gpus.ReportLine{
		V: gpus.ReportVersion, Driver: device.Driver{Version: "550.54.15", CUDA: "12.4"},
		Devices: []gpus.ReportEntry{{
			Device: device.GPU{Index: 1, UUID: "GPU-8932f937-d72c-4106-c12f-20bd9faed9f6", PCI: "0000:3b:00.0",
				Name: "NVIDIA L4", Memory: 24 << 30, Compute: 89, Encodes: true},
			Sample: device.Sample{
				Used: 5 << 30, GPU: 100, Encoder: 50, Decoder: 1, EncoderSessions: 3, Temperature: 61,
				SlowdownAt: 96, Throttled: "power",
				Uncorrected: 2, XID: 31, XIDAt: time.Unix(1e9,
					0).UTC(), Processes: []device.Process{{PID: 77, Name: "python3", Used: 1 << 30}},
			},
		}},
		Unreadable: []gpus.Unreadable{{Position: 0, Why: "lost", Lost: true}},
	}
}

func TestALineComesBack(t *testing.T) {
	t.Parallel()
	for _, l := range []gpus.ReportLine{full(), {V: gpus.ReportVersion},
		{V: gpus.ReportVersion, Problem: &gpus.Problem{Kind: gpus.NoLibrary, Detail: "x"}}} {
		var b bytes.Buffer
		if err := gpus.WriteReport(&b, l); err != nil || strings.Count(b.String(), "\n") != 1 {
			t.Fatalf("%q, %v", &b, err)
		}
		got, err := gpus.ParseReport(b.Bytes())
		if err != nil || !reflect.DeepEqual(got, l) {
			t.Errorf("%+v became %+v, %v", l, got, err)
		}
	}
}

func TestWhatNoWatcherWrites(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(*gpus.ReportLine){
		"version": func(l *gpus.ReportLine) { l.V = 2 },
		"trouble": func(l *gpus.ReportLine) { *l = gpus.ReportLine{V: 1, Problem: &gpus.Problem{Kind: "other"}} },
		"both":    func(l *gpus.ReportLine) { l.Problem = &gpus.Problem{Kind: gpus.Failed} },
		"trouble's text": func(l *gpus.ReportLine) {
			*l = gpus.ReportLine{V: 1, Problem: &gpus.Problem{Kind: gpus.Failed, Detail: "\x1b[2J"}}
		},
		"driver":      func(l *gpus.ReportLine) { l.Driver.Version = "550\n" },
		"uuid":        func(l *gpus.ReportLine) { l.Devices[0].Device.UUID = "0; rm" },
		"twice":       func(l *gpus.ReportLine) { l.Devices = append(l.Devices, l.Devices[0]) },
		"many":        func(l *gpus.ReportLine) { l.Devices = make([]gpus.ReportEntry, gpus.MaxDevices+1) },
		"index":       func(l *gpus.ReportLine) { l.Devices[0].Device.Index = -1 },
		"pci":         func(l *gpus.ReportLine) { l.Devices[0].Device.PCI = "../../x" },
		"name":        func(l *gpus.ReportLine) { l.Devices[0].Device.Name = strings.Repeat("x", gpus.MaxText+1) },
		"memory":      func(l *gpus.ReportLine) { l.Devices[0].Device.Memory = -1 },
		"used":        func(l *gpus.ReportLine) { l.Devices[0].Sample.Used = -1 },
		"load":        func(l *gpus.ReportLine) { l.Devices[0].Sample.Encoder = 101 },
		"encoders":    func(l *gpus.ReportLine) { l.Devices[0].Sample.EncoderSessions = -3 },
		"temperature": func(l *gpus.ReportLine) { l.Devices[0].Sample.Temperature = 1 << 30 },
		"throttled":   func(l *gpus.ReportLine) { l.Devices[0].Sample.Throttled = "\x00" },
		"ecc":         func(l *gpus.ReportLine) { l.Devices[0].Sample.Uncorrected = -1 },
		"processes": func(l *gpus.ReportLine) {
			l.Devices[0].Sample.Processes = make([]device.Process,
				gpus.MaxProcesses+1)
		},
		"process":    func(l *gpus.ReportLine) { l.Devices[0].Sample.Processes[0].Used = -1 },
		"unreadable": func(l *gpus.ReportLine) { l.Unreadable[0].Position = -1 },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := full()
			spoil(&l)
			if gpus.CheckLine(l) == "" {
				t.Error("it was taken")
			}
		})
	}
	for _, b := range []string{"",
		"{}", "null", "[]", `{"v":1}{"v":1}`, `{"v":1,"x":2}`, `{"v":1`, strings.Repeat(" ", gpus.MaxBytes+1)} {
		if l, err := gpus.ParseReport([]byte(b)); err == nil {
			t.Errorf("%.20q became %+v", b, l)
		}
	}
	if err := gpus.WriteReport(&bytes.Buffer{}, gpus.ReportLine{Problem: &gpus.Problem{Detail: strings.Repeat("x",
		gpus.MaxBytes)}}); err == nil {
		t.Error("a line that is too long was written")
	}
}

func FuzzParse(f *testing.F) {
	var b bytes.Buffer
	if err := gpus.WriteReport(&b, full()); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Add([]byte(`{"v":1,"trouble":{"kind":"no driver"}}`))
	f.Fuzz(func(t *testing.T, in []byte) {
		l, err := gpus.ParseReport(in)
		if err != nil {
			return
		}
		var out bytes.Buffer
		if err := gpus.WriteReport(&out, l); err != nil {
			// Times grow by their zone and numbers by their form: only that may be.
			if len(in) < gpus.MaxBytes/2 {
				t.Fatal(err)
			}
			return
		}
		if _, err := gpus.ParseReport(out.Bytes()); err != nil {
			t.Errorf("%q became %q: %v", in, &out, err)
		}
	})
}

func FuzzPlain(f *testing.F) {
	f.Add("NVIDIA L4\x00\xff")
	f.Fuzz(func(t *testing.T, s string) {
		l := full()
		l.Devices[0].Device.Name = gpus.Plain(s)
		if why := gpus.CheckLine(l); why != "" {
			t.Errorf("%q: %v", s, why)
		}
	})
}
