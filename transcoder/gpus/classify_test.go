package gpus

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/core/device"
)

func three() ReportLine {
	l := ReportLine{V: 1, Driver: device.Driver{Version: "550.54.15"}}
	for i, uuid := range []device.UUID{"GPU-aa", "GPU-ab", "GPU-bb"} {
		l.Devices = append(l.Devices, ReportEntry{Device: device.GPU{Index: i, UUID: uuid, Name: "NVIDIA L4", Compute: 89,
			Encodes: true}})
	}
	return l
}

func TestJudge(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name, want string
		change     func(*ReportLine)
		outcome    string
		says       string
	}{
		{"all", "all", nil, "[0 1 2] [0 1 2] [] false", ""},
		{"some", "2,GPU-aa", nil, "[0 2] [0 2] [] false", ""},
		{"some not there", "2,7", nil, "[2] [2] [GPUIndexUnknown] true",
			"there is no GPU 7; the machine has 0 (NVIDIA L4, GPU-aa), 1 (NVIDIA L4, GPU-ab), 2 (NVIDIA L4, GPU-bb)"},
		{"a beginning of two", "GPU-a", nil, "[] [] [GPUIndexUnknown] true",
			"more than one GPU begins with GPU-a; the machine has 0"},
		{"divided", "all", func(l *ReportLine) { l.Devices[1].Device.MIG = true }, "[0 1 2] [0 2] [GPUIsMIG 1] false",
			"GPU 1, NVIDIA L4, is divided"},
		{"divided, not asked for", "0", func(l *ReportLine) { l.Devices[1].Device.MIG = true }, "[0] [0] [] false", ""},
		{"old driver", "all", func(l *ReportLine) { l.Driver.Version = "470.256.02" }, "[0 1 2] [] [DriverTooOld] false",
			"the driver is 470.256.02, the oldest that will do for GPUs that encode is 530.41.03"},
		{"old driver of GPUs without encoders", "0,2", func(l *ReportLine) {
			l.Driver.Version, l.Devices[0].Device.Encodes, l.Devices[2].Device.Encodes = "525.147.05", false, false
		}, "[0 2] [0 2] [] false", ""},
		{"old driver of one that encodes", "all", func(l *ReportLine) {
			l.Driver.Version, l.Devices[0].Device.Encodes, l.Devices[2].Device.Encodes = "525.147.05", false, false
		}, "[0 1 2] [0 2] [DriverTooOld] false", "the driver is 525.147.05"},
		{"lost", "all", func(l *ReportLine) {
			l.Devices, l.Unreadable = l.Devices[1:], []Unreadable{{Position: 0, Lost: true, Why: "x"}}
		}, "[1 2] [1 2] [GPUFault 0] true", "XID 79: the GPU fell off the bus"},
		{"lost and named", "0", func(l *ReportLine) {
			l.Devices, l.Unreadable = l.Devices[1:], []Unreadable{{Position: 0, Why: "no power"}}
		}, "[] [] [GPUFault 0] true", "no power"},
		{"lost on the way", "all", func(l *ReportLine) { l.Devices[2].Lost = true }, "[0 1] [0 1] [GPUFault 2] true",
			"XID 79: the GPU fell off the bus"},
		{"all of them lost", "0,1,2", func(l *ReportLine) {
			for i := range l.Devices {
				l.Devices[i].Lost = true
			}
		}, "[] [] [GPUFault 0 GPUFault 1 GPUFault 2] true", "XID 79"},
		{"lost, another named", "1", func(l *ReportLine) {
			l.Devices, l.Unreadable = l.Devices[1:], []Unreadable{{Position: 0, Lost: true, Why: "x"}}
		}, "[1] [1] [] false", ""},
		{"none", "all", func(l *ReportLine) { l.Devices = nil }, "[] [] [NoDevices] true", "the driver shows no GPU"},
		{"no library", "0", func(l *ReportLine) { *l = ReportLine{Problem: &Problem{Kind: NoLibrary}} },
			"[] [] [NoDevices] true", "no NVIDIA GPU"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			s, err := device.ParseSelection(row.want)
			if err != nil {
				t.Fatal(err)
			}
			l := three()
			if row.change != nil {
				row.change(&l)
			}
			v := machine(t, nil, nil).classify(s, l)
			problems, says := []string{}, []string{}
			for _, x := range v.problems {
				problems = append(problems, strings.TrimSpace(string(x.fault.Code)+" "+x.about))
				says = append(says, x.fault.Detail)
			}
			if got := fmt.Sprint(indices(v.present), indices(v.usable), problems, v.missing); got != row.outcome {
				t.Errorf("%s, want %s", got, row.outcome)
			}
			if !strings.Contains(strings.Join(says, "\n"), row.says) {
				t.Errorf("%q", says)
			}
		})
	}
}

func indices(list []device.GPU) []int {
	out := []int{}
	for _, d := range list {
		out = append(out, d.Index)
	}
	return out
}

func TestManyAreNotAllNamed(t *testing.T) {
	t.Parallel()
	var have []device.GPU
	for i := range 16 {
		have = append(have, device.GPU{Index: i, UUID: device.UUID(fmt.Sprint("GPU-", i))})
	}
	if f := unknown(device.GPUChoice{Unknown: []string{"99"}}, have); !strings.HasSuffix(f.Detail, "and 8 more") {
		t.Error(f)
	}
}
