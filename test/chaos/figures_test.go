package chaos

import (
	"fmt"
	"strings"
	"time"
)

// figures are what a run counted.
type figures struct {
	rounds, rewards, missed, duplicates       int
	restarts, kills, outages, spikes, dropped int
	reorgs, foreign, refused, initialized     int
	depths                                    [deepest + 1]int
	blocks, calls                             uint64
	slowest                                   time.Duration
	slowestIn                                 string
	began                                     time.Time
}

func (f *figures) recovered(took time.Duration, in string) {
	if took > f.slowest {
		f.slowest, f.slowestIn = took, in
	}
}

func (f *figures) String() string {
	var depths []string
	for d, n := range f.depths {
		if n > 0 {
			depths = append(depths, fmt.Sprintf("%d×%d", n, d))
		}
	}
	return strings.Join([]string{
		fmt.Sprintf("rounds %d in %s, rewards %d, missed %d, duplicates %d", f.rounds,
			time.Since(f.began).Round(time.Second), f.rewards, f.missed, f.duplicates),
		fmt.Sprintf("restarts %d, kills %d, outages %d, fee spikes %d, lost transactions %d", f.restarts, f.kills, f.outages,
			f.spikes, f.dropped),
		fmt.Sprintf("reorganizations %d (blocks deep: %s), foreign nonces %d", f.reorgs, strings.Join(depths, " "),
			f.foreign),
		fmt.Sprintf("rounds the node initialized %d, transactions that reverted %d", f.initialized, f.refused),
		fmt.Sprintf("calls %d in %d blocks: %.1f per block at %s per block and poll", f.calls, f.blocks,
			float64(f.calls)/float64(max(f.blocks, 1)), blockTime),
		fmt.Sprintf("slowest recovery %s (%s)", f.slowest.Round(10*time.Millisecond), f.slowestIn),
	}, "\n")
}
