package chatface_test

import (
	"encoding/json"
	"errors"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/pipeline"
	"github.com/tuttinode/tutti/server/gateway/chatface"
)

func face() chatface.Moderation {
	return chatface.Moderation{Model: "m/guard", NewID: func() string { return "1" }}
}

func read(t *testing.T, f chatface.Moderation, body string) (chatface.Conversation, error) {
	t.Helper()
	return f.Request(httptest.NewRequest("POST", chatface.ModerationPath, nil), []byte(body))
}

// scores is a rating of a text in which one category has a score and the others 0.01.
func scores(category, score string) string {
	all := []string{"harassment", "harassment/threatening", "hate", "hate/threatening", "illicit", "illicit/violent",
		"self-harm", "self-harm/instructions", "self-harm/intent", "sexual", "sexual/minors", "violence",
		"violence/graphic"}
	var fields []string
	for _, name := range all {
		value := "0.01"
		if name == category {
			value = score
		}
		if value != "" {
			fields = append(fields, `"`+name+`":`+value)
		}
	}
	return "{" + strings.Join(fields, ",") + "}"
}

// completion is a chat's answer with a text.
func completion(text string) []byte {
	b, _ := json.Marshal(map[string]any{"choices": []any{map[string]any{"message": map[string]any{"content": text}}}})
	return b
}

func TestTextsAreRated(t *testing.T) {
	t.Parallel()
	c, err := read(t, face(), `{"input":["fine","I will hurt you"],"model":"omni-moderation-latest"}`)
	if err != nil {
		t.Fatal(err)
	}
	var chat struct {
		Model     string
		MaxTokens int `json:"max_tokens"`
		Messages  []struct{ Role, Content string }
	}
	if err := json.Unmarshal(c.Chat(), &chat); err != nil || chat.Model != "m/guard" || chat.MaxTokens != 640 ||
		chat.Messages[1].Content != `["fine","I will hurt you"]` {
		t.Errorf("%v: %s", err, c.Chat())
	}
	_, body, err := c.Answer(completion("```json\n{\"results\":[" + scores("", "") + "," + scores("violence", "0.9") +
		"]}\n```"))
	if err != nil {
		t.Fatal(err)
	}
	var out struct {
		ID, Model string
		Results   []struct {
			Flagged    bool
			Categories map[string]bool
			Scores     map[string]float64 `json:"category_scores"`
		}
	}
	if err := json.Unmarshal(body, &out); err != nil || out.ID != "modr-1" || out.Model != "omni-moderation-latest" ||
		len(out.Results) != 2 || out.Results[0].Flagged || !out.Results[1].Flagged ||
		!out.Results[1].Categories["violence"] || out.Results[1].Categories["hate"] ||
		out.Results[1].Scores["violence"] != 0.9 || len(out.Results[1].Categories) != 13 {
		t.Errorf("%v: %s", err, body)
	}
}

// TestWhatWasNotRatedIsNoAnswer: a text of which the model says nothing must not look harmless.
func TestWhatWasNotRatedIsNoAnswer(t *testing.T) {
	t.Parallel()
	c, err := read(t, face(), `{"input":"text"}`)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{
		"", "I cannot do that.", `{"results":[]}`, `{"results":[{}]}`, `{"results":[` + scores("hate", "") + `]}`,
		`{"results":[` + scores("hate", "7") + `]}`, `{"results":[` + scores("hate", `"high"`) + `]}`,
		`{"results":[` + scores("hate", "0") + "," + scores("hate", "0") + `]}`, `{"results":null}`,
	} {
		if _, body, err := c.Answer(completion(text)); !errors.Is(err, fault.AnswerUnreadable) {
			t.Errorf("%s: %s, %v", text, body, err)
		}
	}
	if _, _, err := c.Answer([]byte(`{"choices":[]}`)); !errors.Is(err, fault.AnswerUnreadable) {
		t.Error(err)
	}
}

func TestWhatCannotBeRatedIsRefused(t *testing.T) {
	t.Parallel()
	if _, err := read(t, chatface.Moderation{}, `{"input":"text"}`); !errors.Is(err, fault.ModerationOff) ||
		!strings.Contains(err.Error(), "-aiModerationModel") {
		t.Error(err)
	}
	for body, field := range map[string]string{
		`{}`: "input", `{"input":""}`: "input", `{"input":[]}`: "input", `{"input":7}`: "input", `[]`: "",
		`{"input":[7]}`: "input[0]",
		`{"input":[{"type":"image_url","image_url":{"url":"data:,"}}]}`: "input[0].type",
		`{"input":["a",{"type":"text","text":"b"}]}`:                    "input",
		`{"input":[{"type":"text"}]}`:                                   "input[0].text",
		`{"input":["` + strings.Repeat(`a","`, 40) + `"]}`:              "input",
	} {
		if _, err := read(t, face(), body); !errors.Is(err, fault.RequestUnreadable) || pipeline.FieldOf(err) != field {
			t.Errorf("%.60s: %v, about %q", body, err, pipeline.FieldOf(err))
		}
	}
	c, err := read(t, face(), `{"input":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}`)
	if err != nil || !strings.Contains(string(c.Chat()), `[\"a\\nb\"]`) {
		t.Errorf("parts are not one text: %v", err)
	}
}
