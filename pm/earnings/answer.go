package earnings

import (
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/adminapi"
)

// Answer returns the report as the admin API has it.
func (in *Income) Answer() adminapi.Income {
	out := adminapi.Income{By: in.By.Names(), Rows: []adminapi.IncomeRow{}, Total: in.By.answer(&in.Total)}
	for i := range in.Rows {
		out.Rows = append(out.Rows, in.By.about(in.By.answer(&in.Rows[i]), &in.Rows[i]))
	}
	return out
}

// answer returns a row without what it is about.
func (b By) answer(r *Row) adminapi.IncomeRow {
	return adminapi.IncomeRow{
		Tickets: r.Tickets, Received: Decimal(r.Received), Jobs: r.Jobs, Units: number(r.Units),
		Produced: number(r.Produced), Billed: Decimal(r.Billed),
		Won: r.Winners, WonValue: wei(r.Won), Redeemed: wei(r.Redeemed), Short: wei(r.Short()), Waiting: wei(r.Waiting),
		Mined: wei(r.Mined), Handed: wei(r.Handed), Expired: wei(r.Expired), Failed: wei(r.Failed),
		Gas: wei(r.Gas), Kept: Decimal(r.Kept), Given: Decimal(r.Given), Reward: b.reward(r), Share: r.Share,
	}
}

// reward is null where rounds are no part of what rows are about.
func (b By) reward(r *Row) *core.LPT {
	if !b.rewards() {
		return nil
	}
	return &r.Reward
}

// about adds what a row is about.
func (b By) about(out adminapi.IncomeRow, r *Row) adminapi.IncomeRow {
	if b&Day != 0 {
		out.Day = r.Day.String()
	}
	if b&Round != 0 {
		out.Round = &r.Round
	}
	if b&Gateway != 0 {
		out.Gateway = &r.Sender
	}
	out.Pipeline, out.Model, out.Worker = r.Pipeline, r.Model, r.Worker
	return out
}

// Answer returns the report as the admin API has it.
func (s *Workers) Answer() adminapi.WorkerShares {
	out := adminapi.WorkerShares{Workers: []adminapi.WorkerShare{}, Total: s.Total.answer()}
	for i := range s.Rows {
		out.Workers = append(out.Workers, s.Rows[i].answer())
	}
	return out
}

func (r *WorkerRow) answer() adminapi.WorkerShare {
	return adminapi.WorkerShare{
		Worker: r.Worker, Pipeline: r.Pipeline, Model: r.Model, Jobs: r.Jobs, Units: number(r.Units),
		Produced: number(r.Produced),
		Billed:   Decimal(r.Billed), Share: r.Share, Received: Decimal(r.Received), Income: Decimal(r.Income),
	}
}

// Answer returns the report as the admin API has it.
func (s *Spending) Answer() adminapi.Spending {
	out := adminapi.Spending{Rows: []adminapi.SpendingRow{}, Value: Decimal(s.Value), Open: Decimal(s.Open),
		Billed: Decimal(s.Billed), Cost: Decimal(s.Cost), Charged: s.Charged, Balance: Decimal(s.Balance),
		WrittenOff: Decimal(s.WrittenOff), WriteOffs: []adminapi.WriteOff{}, Unsettled: Decimal(s.Unsettled())}
	for _, w := range s.WrittenOffBy {
		out.WriteOffs = append(out.WriteOffs, adminapi.WriteOff{Day: w.Day, Reason: string(w.Reason),
			Value: Decimal(w.Value)})
	}
	for i := range s.Rows {
		r := &s.Rows[i]
		out.Rows = append(out.Rows, adminapi.SpendingRow{
			Day: r.Day, Recipient: r.Recipient, Pipeline: r.Pipeline, Model: r.Model, Payments: r.Payments, Tickets: r.Tickets,
			Value: Decimal(r.Value), Open: Decimal(r.Open), Billed: Decimal(r.Billed), Units: r.Units,
			Cost: Decimal(r.Cost), Charged: r.Charged,
		})
	}
	return out
}
