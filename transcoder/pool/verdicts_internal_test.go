package pool

import (
	"fmt"
	"testing"
	"time"
)

// TestManyNamesClearNoRecord: transcoders that come and go under new names take no memory, and a record that holds
// something against an attached device stays.
func TestManyNamesClearNoRecord(t *testing.T) {
	t.Parallel()
	table := table{verdicts: make(map[string]*verdicts), devices: make(map[string]*poolDevice)}
	now := time.Now()
	liar := table.verdictsOfLocked("liar")
	liar.refute(now, true)
	table.devices["liar"] = new(poolDevice)
	for i := range 3 * maxVerdicts {
		name := fmt.Sprint(i)
		v := table.verdictsOfLocked(name)
		if i%2 == 0 {
			v.refute(now, false)
		}
		table.forgetVerdictsLocked(name)
	}
	if kept := len(table.verdicts); kept > maxVerdicts+1 {
		t.Errorf("%d records are kept", kept)
	}
	if again := table.verdictsOfLocked("liar"); again != liar {
		t.Error("names that came and went cleared the record of a device")
	}
}
