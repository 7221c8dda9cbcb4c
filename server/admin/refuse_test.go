package admin_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/admin"
)

// A page that looks again and again while the chain is away fills no log; a change
// that was asked for is told all the same.
func TestAbsentChainFillsNoLog(t *testing.T) {
	t.Parallel()
	for _, code := range []fault.Code{fault.RPCUnreachable, fault.RPCTimeout, fault.ChainNotReady, fault.RPCKeyRefused} {
		st := newStation(t, old)
		st.chain.FailReads(fault.Wrap(code, "read", errors.New("nothing answers")))
		for _, path := range []string{adminapi.PathParameters, adminapi.PathDelegator, "/delegatorInfo", "/currentRound"} {
			if got := st.get(path); got.Code < 400 || !strings.Contains(got.Body.String(), string(code)) {
				t.Errorf("%s: %d %s", path, got.Code, got.Body)
			}
		}
		if log := st.log.String(); strings.Contains(log, "refused") {
			t.Errorf("%s: log %s", code, log)
		}
		st.form("/claimEarnings", "")
		if log := st.log.String(); strings.Count(log, "level=WARN") != 1 ||
			!strings.Contains(log, "change through the admin API failed") {
			t.Errorf("%s, a change: log %s", code, log)
		}
	}
	st := newStation(t, func(o *admin.Options) { o.Chain = nil })
	for _, path := range []string{"/ethAddr", "/tokenBalance", "/getBroadcastConfig", adminapi.Prefix + "/nothing"} {
		st.get(path)
	}
	if log := st.log.String(); strings.Contains(log, "level=WARN") {
		t.Errorf("reads of what this node has not: log %s", log)
	}
	st = newStation(t, nil)
	st.get(adminapi.PathNode + "?what=1")
	if log := st.log.String(); !strings.Contains(log, "level=WARN") {
		t.Errorf("a wrong parameter: log %s", log)
	}
}
