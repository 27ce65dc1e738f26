# frozen_string_literal: true

module Assay
  # A statement taken apart once, so that an operation only puts texts together.
  class Template
    attr_reader :text, :parts

    def initialize(text)
      @text = text
      @parts = text.split('?', -1).each(&:freeze).freeze # a text that is built from them begins with a copy
    end

    def parameters
      @parts.size - 1
    end

    # The text with a number in place of the first question mark.
    def inlined(number)
      "#{@parts[0]}#{number}#{@text[(@parts[0].size + 1)..]}"
    end

    # The parentheses behind the last VALUES, with all question marks, stand there once for each row.
    def multi_row
      start = @text[/\A.*\bVALUES\s*(?=\()/im]&.size
      raise Unsupported, "MultiRow needs INSERT ... VALUES (?, ...); the statement is: #{@text}" unless start

      stop = closing(start)
      group = @text[start...stop]
      unless parameters.positive? && group.count('?') == parameters
        raise Unsupported, "MultiRow needs all parameters in the group behind VALUES; the statement is: #{@text}"
      end
      Repeated.new(@text[0...start], group, ', ', @text[stop..])
    end

    # The only question mark of a statement that ends in IN (?) stands there once for each key.
    def in_list
      unless parameters == 1 && @text.match?(/\bIN\s*\(\?\)\s*\z/i)
        raise Unsupported, "InList needs one parameter, and IN (?) at the end; the statement is: #{@text}"
      end
      Repeated.new(@parts[0], '?', ', ', @parts[1])
    end

    def joined
      Repeated.new('', @text, ';', '')
    end

    private

    # Where the parenthesis that opens at a place is closed: the place behind it.
    def closing(start)
      depth = 0
      (start...@text.size).each do |i|
        depth += 1 if @text[i] == '('
        depth -= 1 if @text[i] == ')'
        return i + 1 if depth.zero?
      end
      raise Unsupported, "the parenthesis behind VALUES is never closed: #{@text}"
    end
  end

  # A statement of which one group stands there several times.
  class Repeated
    attr_reader :before, :group, :separator, :after, :parts

    def initialize(before, group, separator, after)
      @before = before
      @group = group
      @separator = separator
      @after = after
      @parts = group.split('?', -1).each(&:freeze).freeze
    end
  end
end
