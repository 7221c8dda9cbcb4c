package command

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/core/device"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/transcoder/gpus"
)

const GPUUsage = `usage: tutti gpu list [-gpu all|0,1|GPU-…] [-json]

Shows the NVIDIA GPUs that the node would use, and why some or all of them cannot
be used and what to do. The exit status is 1 when what was asked for cannot be used
in whole, and 0 when it can.
`

// gpuLookFor is how long the driver may take to answer: GPUs that sleep take their
// time.
const gpuLookFor = 30 * time.Second

// RunGPU is `tutti gpu list`.
func RunGPU(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	if wrong, status := NeedsWord("gpu", GPUUsage, args, stdout, stderr); wrong {
		return status
	}
	flags := flag.NewFlagSet("tutti gpu list", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	asked := config.Devices{All: true}
	flags.Func("gpu", "", func(s string) (err error) {
		asked, err = config.ParseDevices(s)
		return err
	})
	asJSON := flags.Bool("json", false, "")
	err := flags.Parse(args[1:])
	if err == nil && flags.NArg() > 0 {
		err = fmt.Errorf("what is %q?", flags.Arg(0))
	}
	if err == nil && asked.None() {
		err = errors.New("-gpu names no GPU")
	}
	if err != nil {
		if errors.Is(err, flag.ErrHelp) {
			fmt.Fprint(stdout, GPUUsage)
			return ExitOK
		}
		return Misused(stderr, "gpu", GPUUsage, err.Error())
	}
	found := gpus.Find(ctx, gpus.Options{Selection: asked}, gpuLookFor)
	write := writeGPUTable
	if *asJSON {
		write = writeGPUJSON
	}
	if err := write(stdout, found); err != nil {
		fmt.Fprintln(stderr, err)
		return ExitFailed
	}
	if len(found.Faults()) > 0 {
		return ExitFailed
	}
	return ExitOK
}

// GPURow is one GPU as `tutti gpu list -json` writes it. Amounts are in bytes.
type GPURow struct {
	Index           int    `json:"index"`
	UUID            string `json:"uuid"`
	Name            string `json:"name"`
	PCI             string `json:"pci"`
	Compute         string `json:"compute"`
	Usable          bool   `json:"usable"`
	Encodes         bool   `json:"encodes"`
	MIG             bool   `json:"mig"`
	MemoryTotal     int64  `json:"memory_total"`
	MemoryUsed      int64  `json:"memory_used"`
	EncoderSessions int    `json:"encoder_sessions"`
	Temperature     int    `json:"temperature"`
	Throttled       string `json:"throttled,omitempty"`
}

// GPUProblem is why something cannot be used.
type GPUProblem struct {
	Code   string `json:"code"`
	Detail string `json:"detail"`
	Remedy string `json:"remedy"`
}

// GPURows returns the GPUs that were found, usable or not.
func GPURows(found *gpus.Watcher) []GPURow {
	usable := make(map[device.UUID]bool)
	for _, d := range found.Devices() {
		usable[d.UUID] = true
	}
	rows := []GPURow{}
	for _, d := range found.Present() {
		s, _ := found.Sample(d.UUID)
		rows = append(rows, GPURow{
			Index: d.Index, UUID: string(d.UUID), Name: d.Name, PCI: d.PCI,
			Compute: fmt.Sprintf("%d.%d", d.Compute/10, d.Compute%10),
			Usable:  usable[d.UUID], Encodes: d.Encodes, MIG: d.MIG, MemoryTotal: int64(d.Memory), MemoryUsed: int64(s.Used),
			EncoderSessions: s.EncoderSessions, Temperature: s.Temperature, Throttled: s.Throttled,
		})
	}
	return rows
}

func gpuProblems(found *gpus.Watcher) []GPUProblem {
	problems := []GPUProblem{}
	for _, f := range found.Faults() {
		row, _ := fault.Lookup(f.Code)
		problems = append(problems, GPUProblem{string(f.Code), f.Detail, row.Remedy})
	}
	return problems
}

func writeGPUJSON(w io.Writer, found *gpus.Watcher) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	d := found.Driver()
	return enc.Encode(map[string]any{"driver": d.Version, "cuda": d.CUDA, "gpus": GPURows(found),
		"problems": gpuProblems(found)})
}

// writeGPUTable writes the GPUs for people, and what is wrong below.
func writeGPUTable(w io.Writer, found *gpus.Watcher) error {
	var b strings.Builder
	if d := found.Driver(); d.Version != "" {
		fmt.Fprintf(&b, "driver %s, CUDA %s\n", d.Version, d.CUDA)
	}
	if rows := GPURows(found); len(rows) > 0 {
		tabs := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
		fmt.Fprintln(tabs, "GPU\tNAME\tUUID\tPCI\tMEMORY\tUSED\tENCODER\tSESSIONS\tTEMP\tSTATE")
		for _, r := range rows {
			fmt.Fprintln(tabs, strings.Join([]string{
				strconv.Itoa(r.Index), r.Name, r.UUID, r.PCI, mebibytes(r.MemoryTotal), mebibytes(r.MemoryUsed),
				pick(r.Encodes, "yes", "none"), strconv.Itoa(r.EncoderSessions), fmt.Sprintf("%d°C", r.Temperature), gpuState(r),
			}, "\t"))
		}
		tabs.Flush()
	}
	for _, p := range gpuProblems(found) {
		fmt.Fprintf(&b, "%s: %s\n  %s\n", p.Code, p.Detail, p.Remedy)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func mebibytes(n int64) string { return strconv.FormatInt(n>>20, 10) + " MiB" }

func pick(yes bool, one, other string) string {
	if yes {
		return one
	}
	return other
}

// gpuState returns the state of a GPU in a word or two, for an operator.
func gpuState(r GPURow) string {
	switch {
	case r.MIG:
		return "divided (MIG)"
	case !r.Usable:
		return "not usable"
	case r.Throttled != "":
		return "slowed down: " + r.Throttled
	case !r.Encodes:
		return "usable, encodes on the CPU"
	}
	return "usable"
}
