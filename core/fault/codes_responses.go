package fault

// What applications of OpenAI's Responses and Moderations APIs can ask for and not get. Class BadRequest unless said
// otherwise.
const (
	// ResponsesNotKept: a response is to be stored or gone on from, and the gateway has no API keys.
	ResponsesNotKept Code = "ResponsesNotKept"
	// PreviousResponseUnknown: a request goes on from a response that its key does not have.
	PreviousResponseUnknown Code = "PreviousResponseUnknown"
	// ResponseUnknown (class NotFound): a request names a stored response that the key does not have.
	ResponseUnknown Code = "ResponseUnknown"
	// ModerationOff (class NotFound): texts are to be rated, and the gateway has no model for it.
	ModerationOff Code = "ModerationOff"
)

// responsesRows are the conditions of stored responses and of ratings. Read-only.
var responsesRows = []Row{
	{
		Code: ResponsesNotKept, Class: BadRequest,
		Cause: "Responses are kept for the API key that made them, and this gateway has no keys: it cannot tell " +
			"one client's responses from another's.",
		Remedy: "Send the whole conversation as input, without store and previous_response_id; or have the " +
			"operator make a key: `tutti key create -name NAME`.",
	},
	{
		Code: PreviousResponseUnknown, Class: BadRequest,
		Cause: "The key has no response with the previous_response_id: it was made with another key or with " +
			"`store: false`, was deleted, is older than a day, made room for newer ones, or the gateway was restarted.",
		Remedy: "Send the whole conversation as input.",
	},
	{
		Code: ResponseUnknown, Class: NotFound,
		Cause: "The key has no stored response with this ID: it was made with another key or with " +
			"`store: false`, was deleted, is older than a day, made room for newer ones, or the gateway was restarted.",
		Remedy: "Read responses when they are made; keep what is needed for longer in the application.",
	},
	{
		Code: ModerationOff, Class: NotFound,
		Cause:  "The gateway has no model that rates texts: its operator has named none.",
		Remedy: "Start the gateway with `-aiModerationModel MODEL`, a language model of `GET /v1/models`.",
	},
}
