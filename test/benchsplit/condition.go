package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/tuttinode/tutti/test/netlab"
)

// condition is what a row of the table is measured under.
type condition struct {
	size    string
	control string
	// idle is tcp_slow_start_after_idle.
	idle string
	rtt  time.Duration
	loss float64
}

func (c condition) link() netlab.Link { return netlab.Link{Delay: c.rtt / 2, Loss: c.loss / 100} }

// conditions are all combinations of what the flags name.
func conditions(rtts, losses, idles, controls, sizes string) (out []condition, err error) {
	for control := range strings.SplitSeq(controls, ",") {
		if control == "bbr" {
			idles, _, _ = strings.Cut(idles, ",") // its pace is its own
		}
		for idle := range strings.SplitSeq(idles, ",") {
			for size := range strings.SplitSeq(sizes, ",") {
				for rtt := range strings.SplitSeq(rtts, ",") {
					for loss := range strings.SplitSeq(losses, ",") {
						c, err := conditionOf(rtt, loss)
						if err != nil {
							return nil, err
						}
						c.control, c.idle, c.size = control, idle, size
						out = append(out, c)
					}
				}
			}
		}
	}
	return out, nil
}

func conditionOf(rtt, loss string) (c condition, err error) {
	ms, err := strconv.ParseFloat(rtt, 64)
	if err != nil || ms < 0 {
		return c, fmt.Errorf("a round trip of %q", rtt)
	}
	c.rtt = time.Duration(ms * float64(time.Millisecond))
	if c.loss, err = strconv.ParseFloat(loss, 64); err != nil || c.loss < 0 || c.loss >= 100 {
		return c, fmt.Errorf("a loss of %q", loss)
	}
	return c, nil
}
