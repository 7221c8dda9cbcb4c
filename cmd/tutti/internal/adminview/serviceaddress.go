package adminview

import (
	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/server/orchestrator"
)

// serviceAddress shows the admin API what is known.
type serviceAddress struct{ check *orchestrator.Reachability }

// ServiceAddress returns what is known now.
func (s serviceAddress) ServiceAddress() adminapi.ServiceAddress {
	st := s.check.Status()
	out := adminapi.ServiceAddress{
		Advertised: st.Advertised, OnChain: st.OnChain, Discovered: st.Discovered, Mismatch: st.Mismatch,
		Reachable: adminapi.Reachability(st.Reach), Detail: st.Detail,
	}
	return out
}
