package manual

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/kong"
	"github.com/muesli/roff"
)

// A Section is a part of the manual page that the command line does not have.
type Section struct{ Title, Text string }

// Page returns the manual page of section 1, in the language of roff. It is dated by the
// release, so that it is the same whenever it is made. A flag that several commands have
// is told once, with the names of the commands.
func Page(app *kong.Application, dated time.Time, sections ...Section) string {
	doc := roff.NewDocument()
	doc.Heading(1, app.Name, app.Name, dated)
	doc.Section("Name")
	doc.Text(app.Name + " - " + app.Help)
	doc.Section("Synopsis")
	for _, command := range visible(app) {
		doc.TextBold(app.Name + " " + command.Name)
		doc.Text(strings.TrimPrefix(command.Summary(), command.Name))
		doc.Paragraph()
	}
	doc.Section("Commands")
	for _, command := range visible(app) {
		doc.TaggedParagraph(-1)
		doc.TextBold(command.Name)
		doc.EndSection()
		doc.Text(command.Help)
	}
	doc.Section("Options")
	for _, option := range options(app) {
		doc.TaggedParagraph(-1)
		doc.TextBold(option.Summary())
		doc.EndSection()
		doc.Text(option.Help + option.environment())
		doc.Paragraph()
		doc.TextItalic(strings.Join(option.commands, ", "))
	}
	for _, section := range sections {
		doc.Section(section.Title)
		doc.Text(section.Text)
	}
	return doc.String() + "\n"
}

// visible are the commands that --help shows, in its order.
func visible(app *kong.Application) []*kong.Node {
	return slices.DeleteFunc(slices.Clone(app.Children), func(n *kong.Node) bool { return n.Hidden })
}

// flags are the flags of a command that --help shows.
func flags(command *kong.Node) []*kong.Flag {
	return slices.DeleteFunc(slices.Clone(command.Flags), func(f *kong.Flag) bool { return f.Hidden })
}

// An option is a flag, and the commands that have it.
type option struct {
	*kong.Flag
	commands []string
}

// environment says which variables set the option too.
func (o option) environment() string {
	if len(o.Envs) == 0 {
		return ""
	}
	return fmt.Sprintf(" Environment: %s.", strings.Join(o.Envs, ", "))
}

// options are the flags of all commands, by name. Two commands whose flags of one name
// say different things have one each.
func options(app *kong.Application) []*option {
	var all []*option
	for _, command := range visible(app) {
		for _, flag := range flags(command) {
			i := slices.IndexFunc(all, func(o *option) bool { return o.Summary() == flag.Summary() && o.Help == flag.Help })
			if i < 0 {
				i = len(all)
				all = append(all, &option{Flag: flag})
			}
			all[i].commands = append(all[i].commands, command.Name)
		}
	}
	slices.SortStableFunc(all, func(a, b *option) int { return strings.Compare(a.Name, b.Name) })
	return all
}
