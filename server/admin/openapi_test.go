package admin_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/server/admin"
)

// contract is the API's own description, with which its answers are checked.
type contract struct {
	document map[string]any
	compiler *jsonschema.Compiler
}

func newContract(t *testing.T, st *station) *contract {
	t.Helper()
	got := st.get(adminapi.PathOpenAPI)
	if got.Code != 200 {
		t.Fatalf("%d %s", got.Code, got.Body)
	}
	document, err := jsonschema.UnmarshalJSON(got.Body)
	if err != nil {
		t.Fatal(err)
	}
	c := &contract{document: document.(map[string]any), compiler: jsonschema.NewCompiler()}
	c.compiler.DefaultDraft(jsonschema.Draft2020)
	c.compiler.AssertFormat()
	if err := c.compiler.AddResource("openapi.json", document); err != nil {
		t.Fatal(err)
	}
	return c
}

// check validates an answer with the schema that the document has for its status,
// and a request with the schema of its body.
func (c *contract) check(t *testing.T, method, path, request string, got *httptest.ResponseRecorder) {
	t.Helper()
	at := "openapi.json#/paths/" + escape(path) + "/" + strings.ToLower(method)
	code := strconv.Itoa(got.Code)
	operation := c.document["paths"].(map[string]any)[path].(map[string]any)[strings.ToLower(method)].(map[string]any)
	response, ok := operation["responses"].(map[string]any)[code].(map[string]any)
	if !ok {
		code, response = "default", operation["responses"].(map[string]any)["default"].(map[string]any)
		if got.Code < 400 {
			t.Errorf("%s %s: the document knows no %d", method, path, got.Code)
		}
	}
	pointer := at + "/responses/" + code
	if ref, ok := response["$ref"].(string); ok {
		pointer = "openapi.json" + ref
	}
	c.validate(t, pointer+"/content/application~1json/schema", got.Body.String(), method+" "+path)
	if got.Header().Get("Content-Type") != "application/json" {
		t.Errorf("%s %s: %v", method, path, got.Header())
	}
	if request != "" && got.Code < 400 {
		c.validate(t, at+"/requestBody/content/application~1json/schema", request, "body of "+path)
	}
}

func (c *contract) validate(t *testing.T, pointer, text, about string) {
	t.Helper()
	schema, err := c.compiler.Compile(pointer)
	if err != nil {
		t.Fatalf("%s: %v", about, err)
	}
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		t.Fatalf("%s: %q: %v", about, text, err)
	}
	if err := schema.Validate(value); err != nil {
		t.Errorf("%s: %s\n%v", about, text, err)
	}
}

func escape(path string) string {
	return strings.NewReplacer("~", "~0", "/", "~1", "{", "%7B", "}", "%7D").Replace(path)
}

// request is a request of version 1 that succeeds, and one that fails.
type request struct {
	method, path, query, body string
	before                    func(*station)
	// want is the answer's status, wrong a body or query that is refused.
	want      int
	wrong     string
	wrongWith string
}

// concrete fills in what a path's parameters stand for.
func concrete(path string) string {
	return strings.NewReplacer("{address}", account.String(), "{hash}", failedTicket.String()).Replace(path)
}

const toOther = `"to":"0xbb00000000000000000000000000000000000002"`

func requests() map[string]request {
	out := map[string]request{}
	for _, path := range []string{adminapi.PathOpenAPI, adminapi.PathNode, adminapi.PathConditions, adminapi.PathChain,
		adminapi.PathParameters,
		adminapi.PathOrchestrator, adminapi.PathOrchestrators, adminapi.PathDelegator, adminapi.PathUnbondingLocks,
		adminapi.PathBalances,
		adminapi.PathSender, adminapi.PathGas, adminapi.PathReward, adminapi.PathServiceAddress, adminapi.PathTransactions,
		adminapi.PathSettings,
		adminapi.PathPrices, adminapi.PathPriceLimits, adminapi.PathTickets, adminapi.PathTicket, adminapi.PathPayers,
		adminapi.PathIncome,
		adminapi.PathIncomeWorkers, adminapi.PathIncomeOverview, adminapi.PathSpending, adminapi.PathCredits,
		adminapi.PathWorkers, adminapi.PathRunners, adminapi.PathCapabilities, adminapi.PathModels, adminapi.PathDashboard,
		adminapi.PathExplain, adminapi.PathLog, adminapi.PathKeys,
		adminapi.PathDrain,
		adminapi.PathContracts} {
		out["GET "+path] = request{method: "GET", path: path, want: 200, wrong: "?unknown=1"}
	}
	out["GET "+adminapi.PathEarnings] = request{method: "GET", path: adminapi.PathEarnings, query: "?round=101", want: 200,
		wrong: "?round=x"}
	for path, bodies := range map[string][2]string{
		adminapi.PathTicketRetry:  {`{}`, `{"x":1}`},
		adminapi.PathRouteExplain: {`{"request":{"model":"m","messages":[]}}`, `{"operation":"chat"}`},
		adminapi.PathContractsConfirm: {`{"contracts":[{"name":"TicketBroker",` +
			`"address":"0x0000000000000000000000000000000000000007"}]}`, `{"contracts":[{"name":1}]}`},
		adminapi.PathDrain:            {`{"deadlineSeconds":60}`, `{"cancel":true,"stop":true}`},
		adminapi.PathModelState:       {`{"pipeline":"llm","model":"m","warm":true}`, `{"warm":true}`},
		adminapi.PathModelTest:        {`{"model":"m"}`, `{"pipeline":"llm"}`},
		adminapi.PathWorker:           {`{"name":"rig7","drain":true}`, `{"drain":true}`},
		adminapi.PathRunner:           {`{"name":"studio","drain":true}`, `{"drain":true}`},
		adminapi.PathRunnerCheck:      {`{}`, `{"names":1}`},
		adminapi.PathCapabilityRemove: {`{"name":"upscale"}`, `{"names":1}`},
		adminapi.PathKeyCreate:        {`{"name":"new","budget_wei":"5"}`, `{"rpm":5}`},
		adminapi.PathKeyLimits:        {`{"key":"app","rpm":5}`, `{"rpm":5}`},
		adminapi.PathKeyRevoke:        {`{"key":"app"}`, `{}`},
		adminapi.PathSettings:         {`{"maxSessions":4,"logLevel":5}`, `{"maxSessions":0}`},
		adminapi.PathPrices: {`{"gateway":"0xbb00000000000000000000000000000000000002","pricePerUnit":"5",` +
			`"pixelsPerUnit":2}`, `{"pixelsPerUnit":2}`},
		adminapi.PathPriceLimits: {`{"pipeline":"llm","model":"m","pricePerUnit":"0.5","currency":"ETH",` +
			`"pixelsPerUnit":1000000}`, `{"model":"m","pricePerUnit":"5"}`},
		adminapi.PathGas:  {`{"min":"1","max":"0"}`, `{"min":1}`},
		adminapi.PathSign: {`{"message":"hello"}`, `{"message":"hello","typedData":{}}`},
		adminapi.PathActivate: {`{"rewardCut":100000,"feeCut":900000,"serviceURI":"https://o.example:8935",` +
			`"stake":"1000000000000000000","pricePerUnit":"5","pixelsPerUnit":2,"currency":"wei"}`, `{"rewardCut":1000001}`},
		adminapi.PathConfig: {`{"serviceURI":"https://new.example:8935"}`,
			`{"serviceURI":"ftp://new.example"}`},
		adminapi.PathForgive: {`{"orchestrator":"https://o.example:8935"}`, `{"payee":"x"}`},
	} {
		out["POST "+path] = request{method: "POST", path: path, body: bodies[0], want: 200, wrongWith: bodies[1]}
	}
	for _, path := range []string{adminapi.PathReload, adminapi.PathUpgrade} {
		out["POST "+path] = request{method: "POST", path: path, want: 200, wrong: "?unknown=1"}
	}
	for verb, bodies := range map[string][2]string{
		adminapi.VerbApprove:               {`{"amount":"1"}`, `{"amount":1}`},
		adminapi.VerbBond:                  {`{"amount":"1000000000000000000",` + toOther + `}`, `{"amount":"1"}`},
		adminapi.VerbUnbond:                {`{"amount":"1"}`, `{}`},
		adminapi.VerbRebond:                {`{"lock":0}`, `{"lock":-1}`},
		adminapi.VerbRebondFromUnbonded:    {`{"lock":0,` + toOther + `}`, `{"lock":0}`},
		adminapi.VerbWithdrawStake:         {`{"lock":0}`, `{"lock":"0"}`},
		adminapi.VerbWithdrawFees:          {`{}`, `{"amount":"x"}`},
		adminapi.VerbClaimEarnings:         {`{}`, `{"x":1}`},
		adminapi.VerbTransferTokens:        {`{"amount":"1",` + toOther + `}`, `{"amount":"1","to":"me"}`},
		adminapi.VerbRequestTokens:         {`{}`, `[]`},
		adminapi.VerbSetCommission:         {`{"rewardCut":100000,"feeCut":900000}`, `{"rewardCut":100000}`},
		adminapi.VerbSetServiceURI:         {`{"uri":"https://o.example:8935"}`, `{"uri":"o.example"}`},
		adminapi.VerbReward:                {`{}`, `{"x":1}`},
		adminapi.VerbRewardFor:             {`{"orchestrator":"0xbb00000000000000000000000000000000000002"}`, `{}`},
		adminapi.VerbSetRewardCaller:       {`{"caller":"0x0000000000000000000000000000000000000000"}`, `{}`},
		adminapi.VerbInitializeRound:       {`{}`, `{"x":1}`},
		adminapi.VerbFundDeposit:           {`{"amount":"5"}`, `{"amount":"-5"}`},
		adminapi.VerbFundDepositAndReserve: {`{"deposit":"5","reserve":"6"}`, `{"deposit":"5"}`},
		adminapi.VerbUnlock:                {`{}`, `{"x":1}`},
		adminapi.VerbCancelUnlock:          {`{}`, `{"x":1}`},
		adminapi.VerbWithdrawFunds:         {`{}`, `{"x":1}`},
		adminapi.VerbVoteInPoll: {`{"poll":"0xbb00000000000000000000000000000000000002","choice":1}`,
			`{"poll":"0xbb00000000000000000000000000000000000002","choice":2}`},
		adminapi.VerbVoteOnProposal: {`{"proposal":"12345678901234567890123","support":2,"reason":"because"}`,
			`{"proposal":"0x1","support":2}`},
	} {
		path := adminapi.ActionPath(verb)
		out["POST "+path] = request{method: "POST", path: path, body: bodies[0], before: before[verb], want: 200,
			wrongWith: bodies[1]}
	}
	return out
}

// before is what a chain must be for an action to succeed.
var before = map[string]func(*station){
	adminapi.VerbUnbond:          func(st *station) { st.chain.Activate(account, core.LPTTokens(5), "") },
	adminapi.VerbRebond:          unbond,
	adminapi.VerbWithdrawStake:   func(st *station) { unbond(st); st.chain.ToRound(120); st.chain.Open() },
	adminapi.VerbWithdrawFees:    func(st *station) { st.chain.GiveFees(account, core.NewWei(5)) },
	adminapi.VerbSetCommission:   func(st *station) { st.chain.Register(account, core.LPTTokens(5), "") },
	adminapi.VerbReward:          func(st *station) { st.chain.Activate(account, core.LPTTokens(5), "") },
	adminapi.VerbSetRewardCaller: func(st *station) { st.chain.Activate(account, core.LPTTokens(5), "") },
	adminapi.VerbRewardFor: func(st *station) {
		st.chain.Activate(other, core.LPTTokens(5), "")
		st.chain.NameRewardCaller(other, account)
	},
	adminapi.VerbRebondFromUnbonded: unbond,
	adminapi.VerbInitializeRound:    func(st *station) { st.chain.ToRound(101) },
	adminapi.VerbUnlock:             fund,
	adminapi.VerbCancelUnlock: func(st *station) {
		fund(st)
		st.post(adminapi.ActionPath(adminapi.VerbUnlock),
			"{}")
	},
	adminapi.VerbWithdrawFunds: func(st *station) {
		fund(st)
		st.post(adminapi.ActionPath(adminapi.VerbUnlock), "{}")
		st.chain.ToRound(110)
	},
}

func unbond(st *station) {
	st.chain.Activate(account, core.LPTTokens(5), "")
	st.post(adminapi.ActionPath(adminapi.VerbUnbond), `{"amount":"5"}`)
}

func fund(st *station) { st.chain.SetSender(account, protocol.Sender{Deposit: core.NewWei(5)}) }

// Each route of the document answers as the document says, when it can and when it
// cannot, and no route is missing in either.
func TestAnswersKeepTheContract(t *testing.T) {
	t.Parallel()
	all := requests()
	for _, r := range admin.Routes() {
		if r.Stream || r.Lines {
			continue // looked at by TestEvents and TestModelPull
		}
		tt, ok := all[r.Method+" "+r.Path]
		delete(all, r.Method+" "+r.Path)
		if !ok {
			t.Errorf("no request for %s %s", r.Method, r.Path)
			continue
		}
		t.Run(tt.method+tt.path, func(t *testing.T) {
			t.Parallel()
			st := newStation(t, func(o *admin.Options) {
				o.Market.Caps, o.Books, o.Work.Workers, o.Work.Models = &capTable{}, newBooks().of(), &workforce{}, &oneModel{}
				o.Work.Runners, o.Work.Capabilities, o.Work.Keys = &oneRunner{}, &oneCapability{}, keyed()
			})
			c := newContract(t, st)
			if tt.before != nil {
				tt.before(st)
			}
			send := func(query, body string) *httptest.ResponseRecorder {
				target := concrete(tt.path) + query
				if tt.method == "GET" {
					return st.get(target)
				}
				return st.post(target, body)
			}
			if tt.method == "POST" && strings.Contains(tt.path, "/actions/") {
				got := send("?dryRun=true", tt.body)
				if got.Code != 200 || !strings.Contains(got.Body.String(), `{"estimate":{`) {
					t.Errorf("dry run: %d %s", got.Code, got.Body)
				}
				c.check(t, tt.method, tt.path, tt.body, got)
			}
			got := send(tt.query, tt.body)
			if got.Code != tt.want {
				t.Errorf("%d %s", got.Code, got.Body)
			}
			c.check(t, tt.method, tt.path, tt.body, got)
			got = send(tt.wrong, tt.wrongWith)
			if got.Code != 400 {
				t.Errorf("wrong: %d %s", got.Code, got.Body)
			}
			c.check(t, tt.method, tt.path, "", got)
		})
	}
	for left := range all {
		t.Errorf("%s is no route", left)
	}
}

// Whatever goes wrong has the form that the document gives errors.
func TestErrorsKeepTheContract(t *testing.T) {
	t.Parallel()
	offchain, forgotten := newStation(t, func(o *admin.Options) { o.Chain = nil }), newStation(t, nil)
	c := newContract(t, forgotten)
	forgotten.chain.Forget()
	for key, tt := range requests() {
		target := concrete(tt.path)
		for name, st := range map[string]*station{"off-chain": offchain, "without an endpoint": forgotten} {
			got := st.get(target)
			if tt.method == "POST" {
				got = st.post(target, tt.body)
			}
			if got.Code >= 400 && got.Body.Len() == 0 {
				t.Errorf("%s %s: %d without a body", key, name, got.Code)
			}
			c.check(t, tt.method, tt.path, "", got)
		}
		if tt.method == "POST" {
			c.check(t, tt.method, tt.path, "", ask(forgotten.Server, "POST", target, ""))
		}
	}
	for _, path := range []string{adminapi.Prefix + "/nothing", adminapi.ActionPath("steal"), adminapi.Prefix + "/"} {
		got := forgotten.post(path, "{}")
		if got.Code != 404 || !strings.Contains(got.Body.String(), "AdminPathUnknown") {
			t.Errorf("%s: %d %s", path, got.Code, got.Body)
		}
		c.validate(t, "openapi.json#/components/responses/Error/content/application~1json/schema", got.Body.String(), path)
	}
}

// Whatever the mux answers under version 1 is in the document, method by method.
func TestDocumentIsWhole(t *testing.T) {
	t.Parallel()
	st := newStation(t, func(o *admin.Options) {
		o.Market.Caps, o.Books, o.Work.Workers, o.Work.Models = &capTable{}, newBooks().of(), &workforce{}, &oneModel{}
		o.Work.Runners, o.Work.Capabilities, o.Work.Keys = &oneRunner{}, &oneCapability{}, keyed()
	})
	c := newContract(t, st)
	paths := c.document["paths"].(map[string]any)
	if c.document["openapi"] != "3.1.0" || len(paths) < 40 {
		t.Fatalf("%v, %d paths", c.document["openapi"], len(paths))
	}
	ids := map[string]bool{}
	for path, item := range paths {
		target := concrete(path)
		for _, method := range []string{"GET", "POST"} {
			operation, has := item.(map[string]any)[strings.ToLower(method)].(map[string]any)
			got := st.glance(target)
			if method == "POST" {
				got = st.post(target, `{"no such field":1}`)
			}
			if (got.Code == http.StatusMethodNotAllowed) == has || got.Code == 404 {
				t.Errorf("%s %s: %d, in the document: %v", method, path, got.Code, has)
			}
			if has {
				id := operation["operationId"].(string)
				if ids[id] {
					t.Errorf("operation %s twice", id)
				}
				ids[id] = true
				if _, guarded := operation["security"]; guarded != (method == "POST") {
					t.Errorf("%s %s: security %v", method, path, guarded)
				}
			}
		}
	}
	if _, err := json.Marshal(c.document); err != nil {
		t.Error(err)
	}
}
