package main

import (
	"net/http"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/protocol"
)

// ticket is a failed one, with the state asked for.
func ticket(state, reason string) adminapi.Ticket {
	tx := protocol.TxHash{31: 9}
	return adminapi.Ticket{Hash: protocol.Hash{31: 5}, Gateway: other, Account: "33_org/model",
		FaceValue: core.NewWei(20_000_000_000_000_000), Chance: 1000.4,
		Round: 6, RedeemFrom: 480, LastRound: 7, State: state, Won: fakeNow, Since: fakeNow.Add(time.Hour), Tx: &tx,
		Paid: core.NewWei(0), GasFee: core.NewWei(5_000_000_000),
		Attempts: 2, Reason: reason}
}

func incomeRow(round protocol.Round, model, worker string) adminapi.IncomeRow {
	return adminapi.IncomeRow{Round: &round, Pipeline: "llm", Model: model, Worker: worker, Tickets: 40,
		Received: "8000000000000.333333333333333333", Jobs: 3, Units: 900, Produced: 500,
		Billed: "7000000000000", Won: 2, WonValue: core.NewWei(40_000_000_000_000_000),
		Redeemed: core.NewWei(20_000_000_000_000_000), Short: core.NewWei(1_000_000_000_000_000),
		Handed: core.NewWei(9_000_000_000_000_000), Expired: core.NewWei(10_000_000_000_000_000),
		Gas: core.NewWei(5_000_000_000), Kept: "0", Given: "0", Share: 0.375}
}

// books are the fake's answers about tickets and what they bring.
func (f *fakeNode) books(mux *http.ServeMux, post func(string, func(http.ResponseWriter, *http.Request, []byte))) {
	get := func(path, csv string, answer func(r *http.Request) any) {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, r *http.Request) {
			f.mu.Lock()
			defer f.mu.Unlock()
			f.looked = append(f.looked, r.URL.RequestURI())
			if r.URL.Query().Get(adminapi.QueryFormat) == adminapi.FormatCSV {
				_, _ = w.Write([]byte(csv))
				return
			}
			f.answer(w, answer(r))
		})
	}
	get(adminapi.PathTickets, "ticket,state\n0x05,failed\n", func(*http.Request) any {
		return adminapi.Tickets{Tickets: []adminapi.Ticket{ticket("failed", "TxReverted: used"), ticket("final", "")},
			Counts: map[string]int{"final": 12, "failed": 1}}
	})
	get(adminapi.PathTicket, "", func(*http.Request) any {
		if f.ticketState != "" {
			return adminapi.TicketLife{Ticket: ticket(f.ticketState, "")}
		}
		return adminapi.TicketLife{Ticket: ticket("failed", "TxReverted: used"), Steps: []adminapi.TicketStep{
			{State: "won", Time: fakeNow}, {State: "submitted", Time: fakeNow.Add(time.Minute), Tx: &protocol.TxHash{31: 9}},
			{State: "failed", Time: fakeNow.Add(time.Hour), Tx: &protocol.TxHash{31: 9}, GasFee: core.NewWei(5_000_000_000),
				Reason: "TxReverted: used"}}}
	})
	post(adminapi.PathTicketRetry,
		func(w http.ResponseWriter, _ *http.Request, _ []byte) { f.answer(w, ticket("queued", "")) })
	contracts := adminapi.Contracts{Changed: true, Contracts: []adminapi.Contract{{Name: "TicketBroker",
		Trusted: core.Address{19: 6}, Answered: core.Address{19: 7}}}}
	get(adminapi.PathContracts, "", func(*http.Request) any { return contracts })
	post(adminapi.PathContractsConfirm, func(w http.ResponseWriter, _ *http.Request,
		_ []byte) {
		f.answer(w, contracts)
	})
	get(adminapi.PathIncome, "round,received_wei\n7,1\n", func(r *http.Request) any {
		out := adminapi.Income{By: []string{}, Rows: []adminapi.IncomeRow{}, Total: incomeRow(0, "", "")}
		if r.URL.Query().Get(adminapi.QueryBy) != "" {
			out.By, out.Rows = []string{"round", "model", "worker"},
				[]adminapi.IncomeRow{incomeRow(7, "org/model", "gpu-0"), incomeRow(7, "", "")}
		}
		out.Total.Round, out.Total.Pipeline = nil, ""
		return out
	})
	get(adminapi.PathIncomeWorkers, "worker,share\ngpu-0,1\n", func(*http.Request) any {
		share := adminapi.WorkerShare{Worker: "gpu-0", Pipeline: "llm", Model: "org/model", Jobs: 3, Units: 900,
			Produced: 500, Billed: "7000000000000", Share: 1,
			Received: "8000000000000.5", Income: "-3658180000"}
		total := share
		total.Worker, total.Pipeline, total.Model = "", "", ""
		return adminapi.WorkerShares{Workers: []adminapi.WorkerShare{share}, Total: total}
	})
	get(adminapi.PathIncomeOverview, "", func(*http.Request) any {
		reward := core.LPTTokens(3)
		total := incomeRow(0, "", "")
		total.Reward = &reward
		return adminapi.IncomeOverview{Day: "2026-03-04", Round: 7, Total: total, Today: total, ThisRound: total,
			Gateways: []adminapi.IncomeRow{}, Models: []adminapi.IncomeRow{}, Workers: []adminapi.IncomeRow{}}
	})
	get(adminapi.PathPrices, "", func(*http.Request) any {
		whole, part := "1200", "6144/5"
		return adminapi.Prices{AutoAdjust: true, Prices: []adminapi.Price{
			{PricePerUnit: "1200", PixelsPerUnit: 1, WeiPerPixel: &whole},
			{Gateway: &other, PricePerUnit: "0.5", Currency: "USD", PixelsPerUnit: 1_000_000},
			{Pipeline: "llm", Model: "org/model", PricePerUnit: "0", PixelsPerUnit: 1, WeiPerPixel: &whole}},
			Quotes: []adminapi.Quote{{Gateway: other, WeiPerUnit: &part, Overhead: 0.024},
				{Gateway: other, Pipeline: "llm", Model: "org/model", Problem: "PriceRateUnknown"}},
			Tickets: &adminapi.TicketTerms{TicketEV: core.NewWei(8_000_000_000_000)}}
	})
	get(adminapi.PathPriceLimits, "", func(*http.Request) any {
		whole := "5"
		return adminapi.PriceLimits{Limits: []adminapi.Price{{PricePerUnit: "0", PixelsPerUnit: 1},
			{Pipeline: "llm", PricePerUnit: "5", PixelsPerUnit: 1, WeiPerPixel: &whole}},
			Tickets: &adminapi.TicketLimits{MaxTicketEV: core.NewWei(3_000_000_000_000),
				MaxTotalEV: core.NewWei(20_000_000_000_000), DepositMultiplier: 1}}
	})
	get(adminapi.PathSpending, "day,value_wei\n2026-03-01,1\n", func(*http.Request) any {
		return adminapi.Spending{Value: "70000000000000", Open: "9000000000000", Billed: "60000000000000.25",
			Cost: "69000000000000.25", Charged: core.NewWei(5_000_000_000), Balance: "6000000000",
			WrittenOff: "994000000000", WriteOffs: []adminapi.WriteOff{}, Unsettled: "0", Rows: []adminapi.SpendingRow{
				{Day: "2026-03-01", Recipient: other, Pipeline: "transcoding", Payments: 3, Tickets: 30, Value: "70000000000000",
					Open: "9000000000000", Billed: "60000000000000.25", Units: 12,
					Cost: "69000000000000.25"}}}
	})
	credits := adminapi.Credits{Credits: []adminapi.Credit{
		{Orchestrator: other.String(), Unworked: core.NewWei(17_400_000_000_000),
			Bound: core.NewWei(20_000_000_000_000), Stopped: true},
		{Orchestrator: "https://o.example:8935", Unworked: core.NewWei(8_000_000_000),
			InProgress: core.NewWei(64_000_000_000), Bound: core.NewWei(21_000_000_000_000),
			Balance: core.NewWei(6_000_000_000)}}}
	get(adminapi.PathCredits, "", func(*http.Request) any { return credits })
	post(adminapi.PathForgive, func(w http.ResponseWriter, _ *http.Request, _ []byte) { f.answer(w, credits) })
	workers := adminapi.Workers{Workers: []adminapi.Worker{
		{Name: "gpu 0", Kind: "transcoder", State: "ready", Sessions: 3, Encoders: 6, EncoderLimit: 8,
			SessionMemory: 120 << 20, Cost: 4e-9, Ratio: 0.41, Done: 120, Since: fakeNow, Models: []string{}},
		{Name: "rig7", Kind: "transcoder", Remote: true, Address: "192.0.2.7:40000", Node: "tutti/1", State: "suspended",
			Code: "RemoteWorkerLost", Reason: "no answer for 8 s",
			Limit: 8, Failed: 1, Since: fakeNow, Models: []string{}}}}
	get(adminapi.PathWorkers, "", func(*http.Request) any { return workers })
	live := adminapi.LiveRunners{Runners: []adminapi.LiveRunner{
		{ID: "runner_abcdefgh", Label: "studio", Kind: "managed", App: "demo/echo", Mode: "persistent", State: "ready",
			Sessions: 1, Limit: 2, Address: "http://127.0.0.1:9000", Devices: []string{"0"}, Restarts: 1},
		{ID: "runner_ijklmnop", Kind: "dynamic", App: "demo/x", Mode: "single-shot", State: "draining",
			Reason: "the operator keeps new sessions from it", Limit: 1, Address: "http://192.0.2.7:9000", Devices: []string{}}}}
	get(adminapi.PathRunners, "", func(*http.Request) any { return live })
	for _, path := range []string{adminapi.PathRunner, adminapi.PathRunnerCheck} {
		post(path, func(w http.ResponseWriter, _ *http.Request, _ []byte) { f.answer(w, live) })
	}
	capabilities := adminapi.Capabilities{Capabilities: []adminapi.Capability{
		{Name: "upscale", Address: "http://127.0.0.1:9100", State: "ready", Capacity: 2, InUse: 1, Price: "5000000000",
			Jobs: 12, Seconds: 340, Earned: core.NewWei(1_700_000_000_000)},
		{Name: "speak", Address: "http://192.0.2.7:9100", State: "not ready", Reason: "the rate of its currency is not known",
			Capacity: 1, Listed: "0.01USD per 1"}}}
	get(adminapi.PathCapabilities, "", func(*http.Request) any { return capabilities })
	post(adminapi.PathCapabilityRemove,
		func(w http.ResponseWriter, _ *http.Request, _ []byte) { f.answer(w, capabilities) })
	wei := "1200"
	models := adminapi.Models{Models: []adminapi.ServedModel{
		{ModelState: adminapi.Model{Pipeline: "llm", Model: "org/model", State: "ready", Warm: true, Since: fakeNow,
			Capacity: 4, InUse: 1, Devices: []string{"0"}}, WeiPerUnit: &wei},
		{ModelState: adminapi.Model{Pipeline: "text-to-image", Model: "org/pictures", State: "failed", Since: fakeNow,
			Code: "ModelNoRoom", Reason: "no GPU has room", Devices: []string{}}}}}
	get(adminapi.PathModels, "", func(*http.Request) any { return models })
	post(adminapi.PathModelState, func(w http.ResponseWriter, _ *http.Request, _ []byte) { f.answer(w, models) })
	post(adminapi.PathModelTest, func(w http.ResponseWriter, _ *http.Request, _ []byte) {
		f.answer(w, adminapi.ModelTest{Pipeline: "llm", Model: "org/model", Worker: "127.0.0.1:8000", Status: 200,
			Bytes: 312, WaitMilliseconds: 1, Milliseconds: 87})
	})
	post(adminapi.PathModelPull, f.pull)
	get(adminapi.PathDrain, "", func(*http.Request) any { return draining })
	post(adminapi.PathDrain, func(w http.ResponseWriter, _ *http.Request, _ []byte) { f.answer(w, draining) })
	post(adminapi.PathReload, func(w http.ResponseWriter, _ *http.Request, _ []byte) { f.answer(w, reloaded) })
	post(adminapi.PathUpgrade, func(w http.ResponseWriter, _ *http.Request, _ []byte) {
		f.node.Started, f.leaving = f.node.Started.Add(time.Hour), 2
		f.answer(w, adminapi.Upgrade{PID: 4711, Binary: "/usr/bin/tutti"})
	})
	post(adminapi.PathWorker, func(w http.ResponseWriter, _ *http.Request, _ []byte) { f.answer(w, workers) })
	get(adminapi.PathPayers, "", func(*http.Request) any {
		return adminapi.Payers{Gateways: []adminapi.Payer{{Gateway: other, Deposit: core.NewWei(50_000_000_000_000_000),
			Reserve:  core.NewWei(60_000_000_000_000_000),
			MaxFloat: core.NewWei(55_000_000_000_000_000), Waiting: core.NewWei(1),
			Accounts: []adminapi.PayerAccount{{Key: "33_org/model", Balance: "-5000000000.5", InHand: "7"}}}}}
	})
}
