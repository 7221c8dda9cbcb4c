package fault

import (
	"slices"
	"time"
)

// alertPolicy is how a condition becomes an alert.
type judgement struct {
	severity Severity
	// lasts is for how long it must hold before an alert is sent.
	lasts time.Duration
}

// Conditions that come and go by themselves cause alerts only when they last.
const (
	atOnce  = 0
	shortly = 2 * time.Minute
	patient = 10 * time.Minute
)

// defaultPolicy is for codes that are not in alertPolicies.
var ordinary = judgement{Warning, shortly}

// alertPolicies are those of codes that are set as conditions on the health board and are no
// ordinary warning. Read-only.
var judgements = map[Code]judgement{
	// The node is unreachable, or has no devices to work with.
	PortClosed:          {Critical, shortly},
	ServiceAddrForeign:  {Critical, shortly},
	ServiceAddrMismatch: {Critical, shortly},
	NoTranscoders:       {Critical, shortly},
	NoDevices:           {Critical, shortly},
	GPUDriverNotLoaded:  {Critical, shortly},
	GPUDriverMismatch:   {Critical, shortly},
	DriverTooOld:        {Critical, shortly},
	GPUNoPermission:     {Critical, shortly},
	GPUUnavailable:      {Critical, shortly},
	GPUFault:            {Critical, atOnce},
	GPUMemoryErrors:     {Critical, atOnce},
	WorkerQuarantined:   {Critical, shortly},

	// Money is being lost, or about to be.
	LedgerFailed:      {Critical, atOnce},
	LedgerFull:        {Critical, atOnce},
	LedgerDamaged:     {Critical, atOnce},
	StoreUnreachable:  {Critical, atOnce},
	SpentFailed:       {Critical, atOnce},
	TicketExpiring:    {Critical, atOnce},
	TicketsLost:       {Critical, atOnce},
	RedemptionFailing: {Critical, shortly},
	WinnerDisputed:    {Critical, atOnce},
	GasMoneyMissing:   {Critical, atOnce},
	RewardMissed:      {Critical, atOnce},
	RewardFailing:     {Critical, patient},
	RewardNotAllowed:  {Critical, shortly},
	TxJournalFailed:   {Critical, atOnce},
	DiskFull:          {Critical, atOnce},

	// The ledger belongs to another process, or is unreachable.
	StoreUnsafe:     {Critical, atOnce},
	StoreBookInUse:  {Critical, atOnce},
	OldNodeRunning:  {Critical, atOnce},
	WatchdogStalled: {Critical, atOnce},
	UpgradeFailed:   {Warning, atOnce},

	// The chain cannot be seen, or the node is out of the game.
	ChainUnavailable:     {Critical, shortly},
	ChainStale:           {Critical, shortly},
	ChainIDChanged:       {Critical, atOnce},
	RPCWrongChain:        {Critical, atOnce},
	RPCContradicted:      {Critical, atOnce},
	ContractsChanged:     {Critical, atOnce},
	ChainDisputed:        {Critical, shortly},
	ControllerInvalid:    {Critical, shortly},
	ContractMissing:      {Critical, shortly},
	InactiveOrchestrator: {Critical, atOnce},
	NotRegistered:        {Critical, shortly},
	ForeignTransaction:   {Critical, atOnce},
	OwnDepositEmpty:      {Critical, atOnce},
	OwnReserveEmpty:      {Critical, atOnce},
	RedeemerRefuses:      {Critical, shortly},

	// Hostile media may get out.
	SandboxOpen: {Critical, atOnce},

	// They usually resolve by themselves.
	LeavingActiveSet:    {Warning, atOnce},
	OrchestratorCapped:  {Warning, patient},
	RPCRateLimited:      {Warning, patient},
	RPCUnreachable:      {Warning, patient},
	RPCTimeout:          {Warning, patient},
	RPCStale:            {Warning, patient},
	RPCGarbage:          {Warning, patient},
	RoundNotInitialized: {Warning, patient},
	GasPriceAboveMax:    {Warning, patient},
	TxStuck:             {Warning, patient},
	PriceFeedFailing:    {Warning, patient},
	PriceRateUnknown:    {Warning, patient},
	GPUThrottled:        {Warning, patient},
	GPUMemoryTaken:      {Warning, patient},
	RemoteWorkerLost:    {Warning, shortly},
	ModelNoRoom:         {Warning, patient},
	WorkerNotRegistered: {Warning, patient},
	RegistryUnread:      {Warning, patient},

	// News.
	PublicIPUnknown:    {Info, patient},
	PortUnverified:     {Info, patient},
	ServiceAddrPrivate: {Info, atOnce},
	SandboxDegraded:    {Info, atOnce},

	ProtocolPaused: {Info, atOnce},
}

// SeverityOf is how soon an operator should look at a condition. It is Warning for what
// the table says nothing special of, a code of another release among them.
func SeverityOf(code Code) Severity {
	return judgementOf(code).severity
}

// AlertAfter is how long a condition must hold before an alert is sent: many come
// and go by themselves.
func AlertAfter(code Code) time.Duration {
	return judgementOf(code).lasts
}

// Graded are the codes with a severity or delay of their own, in order.
func Judged() []Code {
	out := make([]Code, 0, len(judgements))
	for code := range judgements {
		out = append(out, code)
	}
	slices.Sort(out)
	return out
}

func judgementOf(code Code) judgement {
	if j, ok := judgements[code]; ok {
		return j
	}
	return ordinary
}
