package fault

import (
	"slices"
	"time"
)

// alertPolicy is how a condition becomes an alert.
type alertPolicy struct {
	severity Severity
	// lasts is for how long it must hold before an alert is sent.
	after time.Duration
}

// Conditions that come and go by themselves cause alerts only when they last.
const (
	immediately = 0
	twoMinutes  = 2 * time.Minute
	tenMinutes  = 10 * time.Minute
)

// alertPolicies are those of codes that are set as conditions on the health board and are no
// ordinary warning. Read-only.
var alertPolicies = map[Code]alertPolicy{
	// The node is unreachable, or has no devices to work with.
	PortClosed:          {Critical, twoMinutes},
	ServiceAddrForeign:  {Critical, twoMinutes},
	ServiceAddrMismatch: {Critical, twoMinutes},
	NoTranscoders:       {Critical, twoMinutes},
	NoDevices:           {Critical, twoMinutes},
	GPUDriverNotLoaded:  {Critical, twoMinutes},
	GPUDriverMismatch:   {Critical, twoMinutes},
	DriverTooOld:        {Critical, twoMinutes},
	GPUNoPermission:     {Critical, twoMinutes},
	GPUUnavailable:      {Critical, twoMinutes},
	GPUFault:            {Critical, immediately},
	GPUMemoryErrors:     {Critical, immediately},
	WorkerQuarantined:   {Critical, twoMinutes},

	// Money is being lost, or about to be.
	LedgerFailed:      {Critical, immediately},
	LedgerFull:        {Critical, immediately},
	LedgerDamaged:     {Critical, immediately},
	StoreUnreachable:  {Critical, immediately},
	SpentFailed:       {Critical, immediately},
	TicketExpiring:    {Critical, immediately},
	TicketsLost:       {Critical, immediately},
	RedemptionFailing: {Critical, twoMinutes},
	WinnerDisputed:    {Critical, immediately},
	GasMoneyMissing:   {Critical, immediately},
	RewardMissed:      {Critical, immediately},
	RewardFailing:     {Critical, tenMinutes},
	RewardNotAllowed:  {Critical, twoMinutes},
	TxJournalFailed:   {Critical, immediately},
	DiskFull:          {Critical, immediately},

	// The ledger belongs to another process, or is unreachable.
	StoreUnsafe:     {Critical, immediately},
	StoreBookInUse:  {Critical, immediately},
	OldNodeRunning:  {Critical, immediately},
	WatchdogStalled: {Critical, immediately},
	UpgradeFailed:   {Warning, immediately},

	// The chain cannot be seen, or the node is out of the game.
	ChainUnavailable:     {Critical, twoMinutes},
	ChainStale:           {Critical, twoMinutes},
	ChainIDChanged:       {Critical, immediately},
	RPCWrongChain:        {Critical, immediately},
	RPCContradicted:      {Critical, immediately},
	ContractsChanged:     {Critical, immediately},
	ChainDisputed:        {Critical, twoMinutes},
	ControllerInvalid:    {Critical, twoMinutes},
	ContractMissing:      {Critical, twoMinutes},
	InactiveOrchestrator: {Critical, immediately},
	NotRegistered:        {Critical, twoMinutes},
	ForeignTransaction:   {Critical, immediately},
	OwnDepositEmpty:      {Critical, immediately},
	OwnReserveEmpty:      {Critical, immediately},
	RedeemerRefuses:      {Critical, twoMinutes},

	// Hostile media may get out.
	SandboxOpen: {Critical, immediately},

	// A worker may be controlled by another party.
	DeviceUnreliable: {Critical, immediately},

	// They usually resolve by themselves.
	LeavingActiveSet:    {Warning, immediately},
	OrchestratorCapped:  {Warning, tenMinutes},
	LiveRunnerFull:      {Warning, tenMinutes},
	RPCRateLimited:      {Warning, tenMinutes},
	RPCUnreachable:      {Warning, tenMinutes},
	RPCTimeout:          {Warning, tenMinutes},
	RPCStale:            {Warning, tenMinutes},
	RPCGarbage:          {Warning, tenMinutes},
	RoundNotInitialized: {Warning, tenMinutes},
	GasPriceAboveMax:    {Warning, tenMinutes},
	TxStuck:             {Warning, tenMinutes},
	PriceFeedFailing:    {Warning, tenMinutes},
	PriceRateUnknown:    {Warning, tenMinutes},
	GPUThrottled:        {Warning, tenMinutes},
	GPUMemoryTaken:      {Warning, tenMinutes},
	RemoteWorkerLost:    {Warning, twoMinutes},
	ModelNoRoom:         {Warning, tenMinutes},
	WorkerNotRegistered: {Warning, tenMinutes},
	RegistryUnread:      {Warning, tenMinutes},

	// Information.
	PublicIPUnknown:    {Info, tenMinutes},
	PortUnverified:     {Info, tenMinutes},
	ServiceAddrPrivate: {Info, immediately},
	SandboxDegraded:    {Info, immediately},

	ProtocolPaused: {Info, immediately},
}

// SeverityOf returns how soon an operator should look at a condition. It is Warning for what
// the table says nothing special of, a code of another release among them.
func SeverityOf(code Code) Severity {
	return policyOf(code).severity
}

// AlertAfter returns how long a condition must hold before an alert is sent: many come
// and go by themselves.
func AlertAfter(code Code) time.Duration {
	return policyOf(code).after
}

// Graded returns the codes with a severity or delay of their own, in order.
func Graded() []Code {
	out := make([]Code, 0, len(alertPolicies))
	for code := range alertPolicies {
		out = append(out, code)
	}
	slices.Sort(out)
	return out
}

func policyOf(code Code) alertPolicy {
	if j, ok := alertPolicies[code]; ok {
		return j
	}
	return alertPolicy{Warning, twoMinutes} // for codes that are not in alertPolicies
}
