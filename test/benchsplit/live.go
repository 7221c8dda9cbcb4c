package main

import (
	"bufio"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/tuttinode/tutti/test/procfs"
)

// held is what the orchestrator's process holds, in megabytes: resident has the rubbish
// of the moment, too, heap is without it.
type held struct{ resident, heap, stacks float64 }

// live is what is on purpose.
func (h held) live() float64 { return h.heap + h.stacks }

func (u *setup) holds() (h held, err error) {
	h.resident = float64(procfs.Resident(u.orch.PID())) / 1e6
	resp, err := u.client.Get(adminURL + "/debug/pprof/heap?gc=1&debug=1")
	if err != nil {
		return h, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return h, fmt.Errorf("the orchestrator's profile: %s", resp.Status)
	}
	for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
		name, value, _ := strings.Cut(lines.Text(), " = ")
		value, _, _ = strings.Cut(value, " ")
		n, _ := strconv.ParseFloat(value, 64) // most lines are of other kinds
		switch name {
		case "# HeapAlloc":
			h.heap = n / 1e6
		case "# Stack":
			h.stacks = n / 1e6
		}
	}
	if h.heap == 0 || h.stacks == 0 {
		return h, fmt.Errorf("the orchestrator's profile does not say what its heap is")
	}
	return h, nil
}
