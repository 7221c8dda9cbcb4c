package fault

import "slices"

// Row is what the table knows of one condition.
type Row struct {
	Code  Code
	Class Class
	// Symptom is what an operator sees or searches for next to the code, often
	// the words of the existing node; "" when the code says it all.
	Symptom string
	// Cause says why it happens, in one or two sentences an operator understands.
	Cause string
	// Remedy says what to do. It is never empty; "None needed" is an answer.
	Remedy string
	// Wire is the protocol's text for peers, exactly so, because they compare it.
	// "{detail}" in it stands for the fault's public detail. Empty: see Wire.
	Wire string
	// Retryable: the same request may succeed elsewhere or later.
	Retryable bool
}

// Section is a group of rows with a heading of its own in the documents.
type Section struct {
	Title string
	Rows  []Row
}

// sections is the table, in the order of the documents. Read-only.
var sections = []Section{
	{"Starting and reaching the node", startRows},
	{"What tutti doctor finds", doctorRows},
	{"Changing a running node", reloadRows},
	{"GPUs", gpuRows},
	{"Configuration", configRows},
	{"Sessions and admission", sessionRows},
	{"Requests from gateways", wireRows},
	{"Media", mediaRows},
	{"Media workers and devices", workerRows},
	{"Tests of devices", probeRows},
	{"GPUs at work", gpuEngineRows},
	{"Workers on other machines", remoteRows},
	{"Placing sessions on devices", poolRows},
	{"Gateway", gatewayRows},
	{"Choosing and checking orchestrators on the chain", verifyRows},
	{"Orchestrator", orchestratorRows},
	{"Admission of gateways", gatewayHookRows},
	{"Paid jobs", paidJobRows},
	{"AI models file", modelsRows},
	{"AI models being served", servingRows},
	{"AI runners", runnerRows},
	{"Live work", liveRows},
	{"Publishing by RTMP and SRT", publishRows},
	{"BYOC on the gateway", byocGatewayRows},
	{"AI runner containers", containerRows},
	{"AI jobs", inferenceRows},
	{"Remote AI workers", aiWorkerRows},
	{"Working for an orchestrator elsewhere", joinRows},
	{"AI on the gateway", completionRows},
	{"Stored responses of the gateway", responsesRows},
	{"Files and batches of the gateway", batchRows},
	{"Guards of the gateway", guardsRows},
	{"Choosing orchestrators for AI", aiRoutingRows},
	{"API keys", keysRows},
	{"Remote signer", remoteSignerRows},
	{"Event streams, traces and scores", eventRows},
	{"The chain and staking", chainRows},
	{"Being paid", recipientRows},
	{"The service address", addressRows},
	{"The account on the chain", accountRows},
	{"Transactions", txRows},
	{"Redeeming tickets", redeemRows},
	{"Redeeming in another process", redeemerRows},
	{"Rewards and rounds", rewardRows},
	{"The orchestrator's books", ledgerRows},
	{"Books in PostgreSQL", storeRows},
	{"Prices", pricingRows},
	{"The protocol's contracts", contractsRows},
	{"Tickets and payments", ticketRows},
	{"Paying", senderRows},
	{"Admin listener", adminRows},
	{"Dashboard", dashboardRows},
	{"Alerts", alertRows},
	{"The command line tool", cliRows},
	{"Layer-2 endpoints", rpcRows},
	{"Migrating from an existing node", migrateRows},
	{"Everything else", generalRows},
}

// byCode finds a row; built once from sections and read-only afterwards.
var byCode = index(sections)

func index(sections []Section) map[Code]Row {
	m := make(map[Code]Row)
	for _, s := range sections {
		for _, r := range s.Rows {
			m[r.Code] = r
		}
	}
	return m
}

// Lookup returns the row of a code. For an unknown code it returns the row of
// Unexpected and false.
func Lookup(code Code) (Row, bool) {
	if r, ok := byCode[code]; ok {
		return r, true
	}
	return byCode[Unexpected], false
}

// Table returns every row, in the order of the documents.
func Table() []Row {
	var all []Row
	for _, s := range sections {
		all = append(all, s.Rows...)
	}
	return all
}

// Sections returns the table by heading. The caller may change the slices.
func Sections() []Section {
	out := slices.Clone(sections)
	for i := range out {
		out[i].Rows = slices.Clone(out[i].Rows)
	}
	return out
}
