package adminview

import (
	"math/big"

	"github.com/tuttinode/tutti/core/adminapi"
	reasons "github.com/tuttinode/tutti/core/doctor"
)

// Explanation returns the answer as the admin API writes it.
func Explanation(f *reasons.NodeState, o reasons.JobDiagnosis) adminapi.Explanation {
	w := f.Work
	out := adminapi.Explanation{
		Summary: o.Summary, Since: f.RequestStats.Since.UTC(), Until: f.RequestStats.Until.UTC(),
		Work: adminapi.CurrentWork{Devices: w.Devices, DevicesTotal: w.DevicesTotal, Models: w.Models,
			ModelsTotal: w.ModelsTotal, Sessions: w.Sessions, Limit: w.Limit},
	}
	for _, one := range o.Findings {
		out.Findings = append(out.Findings, adminapi.Finding{
			Weight: string(one.Weight), Says: one.Says, Evidence: one.Evidence, Remedy: one.Remedy, Code: string(one.Code),
		})
	}
	if p := f.PoolRank; p != nil {
		out.Place = &adminapi.Place{Rank: p.Rank, Members: p.Members, Size: p.Size, Stake: p.Stake, Last: p.Last,
			At: p.At.UTC()}
	}
	for _, a := range f.RequestStats.Answers {
		out.Answers = append(out.Answers, adminapi.Answer{Kind: string(a.Kind), Gateway: a.Gateway, Code: string(a.Code),
			Count: a.Count, Last: a.Last.UTC()})
	}
	for _, m := range f.RequestStats.Missing {
		out.Missing = append(out.Missing, adminapi.Missing{Kind: string(m.Kind), Text: m.Text, Count: m.Count,
			Last: m.Last.UTC()})
	}
	for _, p := range f.RequestStats.Prices {
		out.Prices = append(out.Prices, adminapi.AskedPrice{
			Gateway: p.Gateway, Quotes: p.Quotes, Lowest: fraction(p.Lowest), Highest: fraction(p.Highest),
			Last: fraction(p.Last), Expected: fraction(p.Expected),
		})
	}
	return out
}

func fraction(r *big.Rat) *string {
	if r == nil {
		return nil
	}
	s := r.RatString()
	return &s
}
