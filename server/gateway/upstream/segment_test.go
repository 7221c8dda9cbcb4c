package upstream_test

import (
	"encoding/base64"
	"errors"
	"io"
	"net/http"
	"slices"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/videorouting"
	"github.com/tuttinode/tutti/pm/sender"
	"github.com/tuttinode/tutti/server/gateway/upstream"
	"github.com/tuttinode/tutti/server/rpc"
)

func segment() *upstream.Segment {
	return &upstream.Segment{
		Meta: rpc.SegmentMeta{Manifest: "m", Profiles: []core.Profile{{Name: "a", Width: 2, Height: 2}, {Name: "b",
			Width: 2, Height: 2}}, Duration: time.Second},
		Data: []byte("ts"), Estimate: 1000, Timing: videorouting.Timing{Accept: 10 * time.Second, Attempt: 20 * time.Second,
			Segment: 30 * time.Second},
	}
}

func TestEverySegmentsPaymentIsSettled(t *testing.T) {
	t.Parallel()
	result := func(m *rpc.TranscodeResult) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			raw, _ := proto.Marshal(m)
			w.Write(raw)
		}
	}
	made := func(pixels ...int64) http.HandlerFunc {
		data := &rpc.TranscodeData{}
		for _, p := range pixels {
			data.Segments = append(data.Segments, &rpc.TranscodedSegmentData{Url: "https://x/1.ts", Pixels: p})
		}
		return result(&rpc.TranscodeResult{Result: &rpc.TranscodeResult_Data{Data: data}})
	}
	for name, row := range map[string]struct {
		does http.HandlerFunc
		want settled
		code fault.Code
	}{
		"served":        {made(300, 700), settled{sender.Served, 1000}, ""},
		"expensive":     {made(1500, 2500), settled{sender.Served, 4000}, ""},
		"too expensive": {made(1500, 2501), settled{sender.Served, 4000}, ""},
		"huge":          {made(1<<62, 1<<62), settled{sender.Served, 4000}, ""},
		"negative":      {made(-5, 7), settled{sender.Served, 7}, ""},
		"one too few":   {made(300), settled{sender.Served, 300}, fault.RenditionCount},
		"bad input": {result(&rpc.TranscodeResult{Result: &rpc.TranscodeResult_Error{Error: "No keyframes in input"}}),
			settled{sender.InputBad, 0}, fault.SegmentNotTranscodable},
		"no result":     {result(&rpc.TranscodeResult{}), settled{sender.Failed, 0}, fault.ResultUnreadable},
		"capped":        {says(403, "", "OrchestratorCapped"), settled{sender.Refused, 0}, fault.OrchestratorCapped},
		"old tickets":   {says(400, "", "TicketParams expired"), settled{sender.Refused, 0}, fault.TicketParamsStale},
		"balance":       {says(400, "", "Insufficient balance"), settled{sender.Short, 0}, fault.InsufficientBalance},
		"anything else": {says(500, "", "Internal Server Error"), settled{sender.Refused, 0}, fault.OrchestratorDeclined},
		"broke": {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
			settled{sender.Failed, 0}, fault.OrchestratorBroke},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := server(t, row.does)
			d := &paymentTerms{header: "AQID"}
			c := client(t, upstream.Options{Payments: payer{terms: d}})
			_, err := c.Send(t.Context(), &rpc.OrchestratorInfo{Transcoder: s.URL}, segment())
			if row.code == "" && err != nil || row.code != "" && !errors.Is(err, row.code) {
				t.Errorf("%v, want %s", err, row.code)
			}
			if got := d.only(t); got != row.want || d.paid[0] != 1000 {
				t.Errorf("%+v, want %+v", got, row.want)
			}
		})
	}
}

func TestOffersInAnswers(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		node   string
		change func(*rpc.OrchestratorInfo)
		header string
		taken  bool
	}{
		"fresh":           {"tutti/1", func(*rpc.OrchestratorInfo) {}, "", true},
		"from others":     {"", func(*rpc.OrchestratorInfo) {}, "", false},
		"another address": {"tutti/1", func(i *rpc.OrchestratorInfo) { i.Address = make([]byte, 20) }, "", false},
		"another place":   {"tutti/1", func(i *rpc.OrchestratorInfo) { i.Transcoder += "0" }, "", false},
		"another session": {"tutti/1", func(i *rpc.OrchestratorInfo) { i.AuthToken.SessionId = "x" }, "", false},
		"without models":  {"tutti/1", func(i *rpc.OrchestratorInfo) { i.Capabilities = nil }, "", false},
		"not base64":      {"tutti/1", nil, "§", false},
		"not a message":   {"tutti/1", nil, "AAAA", false},
		"larger than any": {"tutti/1", nil, base64.StdEncoding.EncodeToString(slices.Repeat([]byte{10, 0}, 30_000)), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var ready *upstream.Terms
			s := server(t, func(w http.ResponseWriter, _ *http.Request) {
				header := row.header
				if header == "" {
					info := proto.Clone(ready.Info).(*rpc.OrchestratorInfo)
					info.AuthToken.Token = []byte{2} // the quote may have changed
					wants := upstream.JobWants(model, "0.9.1", "", "")
					info.Node, info.Capabilities = row.node, rpc.FromCapabilities(wants.Capabilities)
					row.change(info)
					raw, _ := proto.Marshal(info)
					header = base64.StdEncoding.EncodeToString(raw)
				}
				w.Header().Set("Tutti-Offer", header)
				w.Header().Set("Content-Type", "application/json")
				io.WriteString(w, "{}")
			})
			c := client(t, upstream.Options{Node: "tutti/1"})
			ready = terms(t, c, s.URL, row.node)
			if reply, err := c.Submit(t.Context(), ready, job()); err != nil {
				if row.header == "" {
					t.Fatal(err)
				}
			} else {
				reply.Body.Close()
			}
			newer := ready.Newer()
			if (newer != nil) != row.taken {
				t.Fatalf("taken: %v", newer != nil)
			}
			if row.taken && string(newer.Info.GetAuthToken().GetToken()) != "\x02" {
				t.Error("the old token")
			}
		})
	}
}
