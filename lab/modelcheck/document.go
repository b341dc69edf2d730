package modelcheck

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"microblogging/lab"
)

// Document returns a Markdown document with its pictures drawn anew. A picture is everything between
// <!-- picture: NAME --> and <!-- end -->: the shortest schedule that breaks an invariant of the
// scenario NAME ([Known]), as a sequence diagram. It has a link to the page of the lab, on a server that runs
// on the reader's machine with the default address.
func Document(text string) (string, error) {
	pictures := regexp.MustCompile(`(?s)(<!-- picture: (\S+) -->\n).*?(<!-- end -->)`)
	known, failed := Known()
	text = pictures.ReplaceAllStringFunc(text, func(old string) string {
		parts := pictures.FindStringSubmatch(old)
		content, err := picture(known, parts[2])
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("%s: %w", parts[2], err))
		}
		return parts[1] + "\n" + content + "\n" + parts[3]
	})
	if failed != nil {
		failed = errors.Join(Stale(), failed)
	}
	return text, failed
}

func picture(known []Record, name string) (string, error) {
	c, err := Find(name)
	if err != nil {
		return "", err
	}
	record, _ := About(known, c.Name)
	run, err := c.FollowText(record.Schedule)
	text := "```mermaid\n" + c.Mermaid(run) + "```\n\n"
	violated := run[len(run)-1].Violated()
	if err == nil && violated == nil {
		err = errors.New("no invariant is violated")
	}
	for _, v := range violated {
		text += "Then " + v.Reason + ".\n"
	}
	return fmt.Sprintf("%s\n    %s\n\n[Step through it](http://127.0.0.1:8080/lab/%s?s=%s)\n", text, c.Command(record.Schedule), c.Name, record.Schedule), err
}

// Mermaid is a sequence diagram of Mermaid. Each call is an arrow to its table or its queue.
func (c Case) Mermaid(run []lab.Moment) string {
	var b strings.Builder
	b.WriteString("sequenceDiagram\n    autonumber\n")
	for _, m := range run[1:] {
		step, words := m.Step, c.Words(*m.Step)
		target, text, called := strings.Cut(words.Call, ": ")
		if !called {
			target, text = "queue", words.Call // which loses a message
		}
		if words.Fate != "" {
			text += " (" + words.Fate + ")"
		}
		if words.Result != "" {
			text += " → " + words.Result
		}
		for _, told := range words.Told {
			text += ", told: " + told
		}
		// A semicolon would end the line, and a number sign begins an entity.
		text = strings.NewReplacer(";", ",", "#", "").Replace(text)
		arrow := "->>"
		if step.Applied == nil {
			arrow = "-x" // it never gets there
		}
		fmt.Fprintf(&b, "    %s%s%s: %s\n", words.Actor, arrow, target, text)
	}
	return b.String()
}
