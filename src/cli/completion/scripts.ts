/*
 * Each script passes the words before the cursor unchanged to `setpoint completion <shell> -- …`, and evaluates nothing that
 * was typed or answered. An answer is a word and its description on each line, or `:files`.
 * @see docs/decisions/own-code.md
 */
export const scripts = {
  bash: `# Completes setpoint in bash: eval "$(setpoint completion bash)"
_setpoint() {
  # Bash also splits words at = and :, so they are joined again, up to the cursor.
  local words=() rest=\${COMP_LINE:0:COMP_POINT} word i
  for ((i = 0; i <= COMP_CWORD; i++)); do
    local before=$rest
    word=\${COMP_WORDS[i]}
    rest=\${rest#"\${rest%%[![:space:]]*}"}
    [[ $rest == "$word"* ]] || word=$rest
    rest=\${rest#"$word"}
    if ((i == 0)) || [[ $before == [[:space:]]* ]]; then
      words+=("$word")
    else
      words[\${#words[@]} - 1]+=$word
    fi
  done
  local current=\${words[\${#words[@]} - 1]} value
  # The part in front of what bash replaces.
  [[ $word == [=:] ]] && word=
  local front=\${current%"$word"}
  COMPREPLY=()
  while IFS=$'\\t' read -r value _; do
    if [[ $value == :files ]]; then
      compopt -o default 2>/dev/null
    else
      [[ $value == *= ]] && compopt -o nospace 2>/dev/null
      printf -v value %q "\${value#"$front"}"
      COMPREPLY+=("$value")
    fi
  done < <("\${words[0]/#\\~/$HOME}" completion bash -- "\${words[@]:1}" 2>/dev/null)
}
complete -F _setpoint setpoint
`,
  zsh: `#compdef setpoint
# Completes setpoint in zsh: source <(setpoint completion zsh), after compinit
_setpoint() {
  local -a values open
  local value description
  while IFS=$'\\t' read -r value description; do
    if [[ $value == :files ]]; then
      compset -P '*='
      _files
      return
    fi
    value=\${value//\\\\/\\\\\\\\}
    value=\${value//:/\\\\:}
    if [[ $value == *= ]]; then open+=("$value:$description"); else values+=("$value:$description"); fi
  done < <("\${words[1]/#\\~/$HOME}" completion zsh -- "\${(@Q)words[2,CURRENT-1]}" "\${(Q)PREFIX}" 2>/dev/null)
  (( \${#open} )) && _describe -t formats format open -S ''
  (( \${#values} )) && _describe -t values value values
}
if [[ \${funcstack[1]} == _setpoint ]]; then _setpoint "$@"; else compdef _setpoint setpoint; fi
`,
  fish: `# Completes setpoint in fish: setpoint completion fish | source
function __setpoint_words
    set -l tokens (commandline -opc)
    set -l current (commandline -ct)
    for line in ($tokens[1] completion fish -- $tokens[2..-1] "$current" 2>/dev/null)
        if test "$line" = ":files"
            set -l front (string match -r '^.*=' -- "$current")
            for file in (__fish_complete_path (string replace -r '^.*=' '' -- "$current"))
                echo "$front$file"
            end
        else
            echo $line
        end
    end
end
complete -c setpoint -f -a '(__setpoint_words)'
`,
} as const;

export type Shell = keyof typeof scripts;
